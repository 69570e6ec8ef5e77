// The functions of TensorFlow's c_api.h that minitf does not have.
//
// docs/c_api.md lists the functions of this file, and a test compares the two lists.

#include "minitf/c/c_api_unimplemented.h"
#include "minitf/c/graph/graph_objects.h"
#include "minitf/c/graph/session_objects.h"

namespace c = minitf::c;

namespace {

// Sets TF_UNIMPLEMENTED with the name of the function.
void Refuse(TF_Status* status, const char* function) {
  c::Guarded(status, [&] { c::ThrowUnimplemented(function); });
}

// As above, when the operation is finished.
void RefuseLater(TF_OperationDescription* desc, const char* function) {
  c::Describe(desc, [&](TF_OperationDescription&) { c::ThrowUnimplemented(function); });
}

}  // namespace

// ---- Attributes -----------------------------------------------------------------------

void TF_SetAttrPlaceholder(TF_OperationDescription* desc, const char*, const char*) {
  RefuseLater(desc, __func__);
}

void TF_SetAttrFuncName(TF_OperationDescription* desc, const char*, const char*, size_t) {
  RefuseLater(desc, __func__);
}

void TF_SetAttrTensorList(TF_OperationDescription*, const char*, TF_Tensor* const*, int,
                          TF_Status* status) {
  Refuse(status, __func__);
}

void TF_OperationGetAttrTensorList(TF_Operation*, const char*, TF_Tensor**, int,
                                   TF_Status* status) {
  Refuse(status, __func__);
}

// ---- Functions ------------------------------------------------------------------------

TF_Function* TF_GraphToFunction(const TF_Graph*, const char*, unsigned char, int,
                                const TF_Operation* const*, int, const TF_Output*, int,
                                const TF_Output*, const char* const*,
                                const TF_FunctionOptions*, const char*,
                                TF_Status* status) {
  Refuse(status, __func__);
  return nullptr;
}

TF_Function* TF_GraphToFunctionWithControlOutputs(
    const TF_Graph*, const char*, unsigned char, int, const TF_Operation* const*, int,
    const TF_Output*, int, const TF_Output*, const char* const*, int,
    const TF_Operation* const*, const char* const*, const TF_FunctionOptions*,
    const char*, TF_Status* status) {
  Refuse(status, __func__);
  return nullptr;
}

const char* TF_FunctionName(TF_Function*) { return nullptr; }

void TF_FunctionToFunctionDef(TF_Function*, TF_Buffer*, TF_Status* status) {
  Refuse(status, __func__);
}

TF_Function* TF_FunctionImportFunctionDef(const void*, size_t, TF_Status* status) {
  Refuse(status, __func__);
  return nullptr;
}

void TF_FunctionSetAttrValueProto(TF_Function*, const char*, const void*, size_t,
                                  TF_Status* status) {
  Refuse(status, __func__);
}

void TF_FunctionGetAttrValueProto(TF_Function*, const char*, TF_Buffer*,
                                  TF_Status* status) {
  Refuse(status, __func__);
}

void TF_DeleteFunction(TF_Function*) {}

void TF_GraphCopyFunction(TF_Graph*, const TF_Function*, const TF_Function*,
                          TF_Status* status) {
  Refuse(status, __func__);
}

int TF_GraphNumFunctions(TF_Graph*) { return 0; }

int TF_GraphGetFunctions(TF_Graph*, TF_Function**, int, TF_Status* status) {
  Refuse(status, __func__);
  return 0;
}

// ---- Sessions -------------------------------------------------------------------------

TF_Session* TF_LoadSessionFromSavedModel(const TF_SessionOptions*, const TF_Buffer*,
                                         const char*, const char* const*, int, TF_Graph*,
                                         TF_Buffer*, TF_Status* status) {
  Refuse(status, __func__);
  return nullptr;
}

void TF_SessionPRunSetup(TF_Session*, const TF_Output*, int, const TF_Output*, int,
                         const TF_Operation* const*, int, const char** handle,
                         TF_Status* status) {
  if (handle != nullptr) *handle = nullptr;
  Refuse(status, __func__);
}

void TF_SessionPRun(TF_Session*, const char*, const TF_Output*, TF_Tensor* const*, int,
                    const TF_Output*, TF_Tensor** output_values, int noutputs,
                    const TF_Operation* const*, int, TF_Status* status) {
  c::ClearTensors(output_values, noutputs);
  Refuse(status, __func__);
}

void TF_DeletePRunHandle(const char*) {}

void TF_Reset(const TF_SessionOptions*, const char**, int, TF_Status* status) {
  Refuse(status, __func__);
}

void TF_PRunSetup(TF_DeprecatedSession*, const char**, int, const char**, int,
                  const char**, int, const char** handle, TF_Status* status) {
  if (handle != nullptr) *handle = nullptr;
  Refuse(status, __func__);
}

void TF_PRun(TF_DeprecatedSession*, const char*, const char**, TF_Tensor** inputs,
             int ninputs, const char**, TF_Tensor** outputs, int noutputs, const char**,
             int, TF_Status* status) {
  c::ClearTensors(outputs, noutputs);
  for (int i = 0; inputs != nullptr && i < ninputs; ++i) TF_DeleteTensor(inputs[i]);
  Refuse(status, __func__);
}

// ---- Descriptions of APIs -------------------------------------------------------------

TF_ApiDefMap* TF_NewApiDefMap(TF_Buffer*, TF_Status* status) {
  Refuse(status, __func__);
  return nullptr;
}

void TF_DeleteApiDefMap(TF_ApiDefMap*) {}

void TF_ApiDefMapPut(TF_ApiDefMap*, const char*, size_t, TF_Status* status) {
  Refuse(status, __func__);
}

TF_Buffer* TF_ApiDefMapGet(TF_ApiDefMap*, const char*, size_t, TF_Status* status) {
  Refuse(status, __func__);
  return nullptr;
}

// ---- Servers --------------------------------------------------------------------------

TF_Server* TF_NewServer(const void*, size_t, TF_Status* status) {
  Refuse(status, __func__);
  return nullptr;
}

void TF_ServerStart(TF_Server*, TF_Status* status) { Refuse(status, __func__); }

void TF_ServerStop(TF_Server*, TF_Status* status) { Refuse(status, __func__); }

void TF_ServerJoin(TF_Server*, TF_Status* status) { Refuse(status, __func__); }

const char* TF_ServerTarget(TF_Server*) { return nullptr; }

void TF_DeleteServer(TF_Server*) {}
