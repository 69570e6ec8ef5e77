// Contexts of eager execution: options, devices, policies, run metadata.

#include <pthread.h>
#include <stdlib.h>

#include "tests/c/eager_helpers.h"

// Runs one Add; returns the code.
static TF_Code RunAdd(TFE_Context* context, TF_Status* status) {
  TFE_TensorHandle* inputs[] = {Float(1), Float(2)};
  TFE_TensorHandle* sum = RunCall(NewCall(context, "Add", 2, inputs), status);
  TFE_DeleteTensorHandle(sum);
  TFE_DeleteTensorHandle(inputs[1]);
  TFE_DeleteTensorHandle(inputs[0]);
  return TF_GetCode(status);
}

// ---- Options --------------------------------------------------------------------------

static void ExpectConfig(const void* config, size_t size, TF_Code code,
                         const char* message) {
  TF_Status* status = TF_NewStatus();
  TFE_ContextOptions* options = TFE_NewContextOptions();
  TFE_ContextOptionsSetConfig(options, config, size, status);
  CHECK_CODE(status, code, message);
  TFE_Context* context = TFE_NewContext(options, status);
  CHECK_OK(status);
  TFE_DeleteContextOptions(options);
  CHECK_EQ(RunAdd(context, status), TF_OK);
  TFE_DeleteContext(context);
  TF_DeleteStatus(status);
}

static void TestConfig(void) {
  // Field numbers of ConfigProto: 1 device_count, 2 intra_op, 5 inter_op,
  // 7 allow_soft_placement, 8 log_device_placement, 11 operation_timeout_in_ms.
  ExpectConfig("", 0, TF_OK, "");
  ExpectConfig(NULL, 0, TF_OK, "");
  ExpectConfig("\x38\x01", 2, TF_OK, "");
  ExpectConfig("\x40\x01", 2, TF_OK, "");
  ExpectConfig("\x10\x03", 2, TF_UNIMPLEMENTED, "intra_op_parallelism_threads is 3");
  ExpectConfig("\x28\x03", 2, TF_UNIMPLEMENTED, "inter_op_parallelism_threads is 3");
  ExpectConfig("\x58\x09", 2, TF_UNIMPLEMENTED, "operation_timeout_in_ms is 9");
  ExpectConfig("\x0a\x07\x0a\x03GPU\x10\x02", 9, TF_OK, "");
  ExpectConfig(
      "\x0a\x07\x0a\x03"
      "CPU\x10\x01",
      9, TF_OK, "");
  ExpectConfig(
      "\x0a\x07\x0a\x03"
      "CPU\x10\x02",
      9, TF_UNIMPLEMENTED, "device_count[\"CPU\"] is 2");
  ExpectConfig("\xff\xff", 2, TF_INVALID_ARGUMENT, "ConfigProto");
  ExpectConfig(NULL, 2, TF_INVALID_ARGUMENT, "proto is null");

  TF_Status* status = TF_NewStatus();
  TFE_ContextOptionsSetConfig(NULL, "", 0, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "options is null");
  TF_DeleteStatus(status);
}

static void TestOptions(void) {
  TF_Status* status = TF_NewStatus();
  TFE_ContextOptions* options = TFE_NewContextOptions();
  TFE_ContextOptionsSetAsync(options, 1);
  CHECK(TFE_NewContext(options, status) == NULL);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TFE_ContextOptionsSetAsync");
  TFE_ContextOptionsSetAsync(options, 0);
  TFE_ContextOptionsSetDevicePlacementPolicy(options,
                                             (TFE_ContextDevicePlacementPolicy)4);
  CHECK(TFE_NewContext(options, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "device placement policy is 4");
  TFE_ContextOptionsSetDevicePlacementPolicy(options, TFE_DEVICE_PLACEMENT_EXPLICIT);
  TFE_Context* context = TFE_NewContext(options, status);
  CHECK_OK(status);
  CHECK_EQ(TFE_ContextGetDevicePlacementPolicy(context), TFE_DEVICE_PLACEMENT_EXPLICIT);
  CHECK_EQ(RunAdd(context, status), TF_OK);
  TFE_DeleteContext(context);
  TFE_DeleteContextOptions(options);

  CHECK(TFE_NewContext(NULL, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "opts is null");
  TFE_ContextOptionsSetAsync(NULL, 1);
  TFE_ContextOptionsSetDevicePlacementPolicy(NULL, TFE_DEVICE_PLACEMENT_WARN);
  TFE_DeleteContextOptions(NULL);
  TFE_DeleteContext(NULL);
  TF_DeleteStatus(status);
}

// ---- Contexts -------------------------------------------------------------------------

static void TestDevices(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  TF_DeviceList* devices = TFE_ContextListDevices(context, status);
  CHECK_OK(status);
  CHECK_EQ(TF_DeviceListCount(devices), 1);
  CHECK_TEXT(TF_DeviceListName(devices, 0, status),
             "/job:localhost/replica:0/task:0/device:CPU:0");
  CHECK_TEXT(TF_DeviceListType(devices, 0, status), "CPU");
  TF_DeleteDeviceList(devices);
  CHECK(TFE_ContextListDevices(NULL, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TF_DeleteStatus(status);
}

static void* PolicyOfThread(void* context) {
  TFE_ContextDevicePlacementPolicy* policy = malloc(sizeof(*policy));
  *policy = TFE_ContextGetDevicePlacementPolicy(context);
  return policy;
}

static void TestPolicies(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  CHECK_EQ(TFE_ContextGetDevicePlacementPolicy(context), TFE_DEVICE_PLACEMENT_SILENT);
  CHECK_EQ(TFE_ContextGetDevicePlacementPolicy(NULL), TFE_DEVICE_PLACEMENT_SILENT);
  TFE_ContextSetThreadLocalDevicePlacementPolicy(context, TFE_DEVICE_PLACEMENT_WARN);
  CHECK_EQ(TFE_ContextGetDevicePlacementPolicy(context), TFE_DEVICE_PLACEMENT_WARN);
  pthread_t thread;
  void* policy = NULL;
  CHECK_EQ(pthread_create(&thread, NULL, &PolicyOfThread, context), 0);
  CHECK_EQ(pthread_join(thread, &policy), 0);
  CHECK_EQ(*(TFE_ContextDevicePlacementPolicy*)policy, TFE_DEVICE_PLACEMENT_SILENT);
  free(policy);
  CHECK_EQ(RunAdd(context, status), TF_OK);
  TFE_ContextSetThreadLocalDevicePlacementPolicy(context,
                                                 (TFE_ContextDevicePlacementPolicy)7);
  CHECK_EQ(RunAdd(context, status), TF_INVALID_ARGUMENT);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "device placement policy is 7");
  TFE_ContextSetThreadLocalDevicePlacementPolicy(context, TFE_DEVICE_PLACEMENT_SILENT);
  TFE_ContextSetThreadLocalDevicePlacementPolicy(NULL, TFE_DEVICE_PLACEMENT_SILENT);
  CHECK_EQ(RunAdd(context, status), TF_OK);
  TF_DeleteStatus(status);
}

static void TestAsync(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  TFE_ContextSetAsyncForThread(context, 0, status);
  CHECK_OK(status);
  TFE_ContextSetAsyncForThread(context, 1, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TFE_ContextSetAsyncForThread");
  TFE_ContextSetAsyncForThread(NULL, 0, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TFE_ContextAsyncWait(context, status);
  CHECK_OK(status);
  TFE_ContextAsyncWait(NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TFE_ContextAsyncClearError(context);
  TFE_ContextAsyncClearError(NULL);
  TFE_ContextStartStep(context);
  TFE_ContextEndStep(context);
  TFE_ContextClearCaches(context);
  TFE_ContextClearCaches(NULL);
  CHECK_EQ(RunAdd(context, status), TF_OK);
  TF_DeleteStatus(status);
}

static void TestMissing(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  TFE_ContextSetServerDef(context, 10, "", 0, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TFE_ContextSetServerDef");
  TFE_ContextAddFunctionDef(context, "", 0, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TFE_ContextAddFunctionDef");
  TFE_ContextAddFunction(context, NULL, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TFE_ContextAddFunction");
  TFE_ContextRemoveFunction(context, "f", status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TFE_ContextRemoveFunction");
  CHECK_EQ(TFE_ContextHasFunction(context, "f"), 0);
  TF_DeleteStatus(status);
}

// A deleted context is an error, and its handles and ops stay valid.
static void TestDeleted(void) {
  TF_Status* status = TF_NewStatus();
  TFE_Context* context = NewContext();
  TFE_TensorHandle* inputs[] = {Float(1), Float(2)};
  TFE_Op* op = NewCall(context, "Add", 2, inputs);
  TFE_DeleteContext(context);
  TFE_DeleteContext(context);
  CHECK(TFE_NewOp(context, "Add", status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is a handle that was deleted");
  TFE_TensorHandle* sum = RunCall(op, status);
  CHECK_OK(status);
  const float expected = 3;
  CheckElements(sum, &expected, sizeof(expected));
  TFE_DeleteTensorHandle(sum);
  TFE_DeleteTensorHandle(inputs[1]);
  TFE_DeleteTensorHandle(inputs[0]);
  TF_DeleteStatus(status);
}

// ---- Run metadata ---------------------------------------------------------------------

// Whether the bytes contain the text.
static int Contains(const TF_Buffer* buffer, const char* text) {
  const size_t length = strlen(text);
  for (size_t i = 0; i + length <= buffer->length; ++i) {
    if (memcmp((const char*)buffer->data + i, text, length) == 0) return 1;
  }
  return 0;
}

static void TestRunMetadata(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  TF_Buffer* buffer = TF_NewBuffer();
  RunAdd(context, status);
  TFE_ContextEnableRunMetadata(context);
  RunAdd(context, status);
  TFE_ContextDisableRunMetadata(context);
  TFE_ContextExportRunMetadata(context, buffer, status);
  CHECK_OK(status);
  CHECK(Contains(buffer, "Add"));
  CHECK(Contains(buffer, "/job:localhost/replica:0/task:0/device:CPU:0"));
  TFE_ContextExportRunMetadata(context, buffer, status);
  CHECK_OK(status);
  CHECK_EQ(buffer->length, 0);
  RunAdd(context, status);
  TFE_ContextExportRunMetadata(context, buffer, status);
  CHECK_EQ(buffer->length, 0);
  TFE_ContextExportRunMetadata(context, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "buf is null");
  TFE_ContextExportRunMetadata(NULL, buffer, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TFE_ContextEnableRunMetadata(NULL);
  TFE_ContextDisableRunMetadata(NULL);
  TF_DeleteBuffer(buffer);
  TF_DeleteStatus(status);
}

int main(void) {
  TestConfig();
  TestOptions();
  TFE_Context* context = NewContext();
  TestDevices(context);
  TestPolicies(context);
  TestAsync(context);
  TestMissing(context);
  TestDeleted();
  TestRunMetadata(context);
  TFE_DeleteContext(context);
  return Failures();
}
