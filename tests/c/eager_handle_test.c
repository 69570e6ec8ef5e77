// Tensor handles: what they say of a value, and how a value goes in and comes out.

#include <limits.h>

#include "tests/c/eager_helpers.h"

static const char* const kCpu = "/job:localhost/replica:0/task:0/device:CPU:0";

static void TestQueries(void) {
  TF_Status* status = TF_NewStatus();
  const int64_t dims[] = {2, 3};
  const int32_t elements[] = {1, 2, 3, 4, 5, 6};
  TFE_TensorHandle* h = HandleOf(TF_INT32, 2, dims, elements);
  CHECK_EQ(TFE_TensorHandleDataType(h), TF_INT32);
  CHECK_EQ(TFE_TensorHandleNumDims(h, status), 2);
  CHECK_OK(status);
  CHECK_EQ(TFE_TensorHandleNumElements(h, status), 6);
  CHECK_OK(status);
  CHECK_EQ(TFE_TensorHandleDim(h, 1, status), 3);
  CHECK_OK(status);
  const int wrong[] = {-1, 2, INT_MAX, INT_MIN};
  for (int i = 0; i < 4; ++i) {
    CHECK_EQ(TFE_TensorHandleDim(h, wrong[i], status), -1);
    CHECK_CODE(status, TF_INVALID_ARGUMENT, "in shape [2,3]");
  }
  CHECK_TEXT(TFE_TensorHandleDeviceName(h, status), kCpu);
  CHECK_OK(status);
  CHECK_TEXT(TFE_TensorHandleBackingDeviceName(h, status), kCpu);
  CHECK_OK(status);

  TFE_TensorDebugInfo* info = TFE_TensorHandleTensorDebugInfo(h, status);
  CHECK_OK(status);
  CHECK_EQ(TFE_TensorDebugInfoOnDeviceNumDims(info), 2);
  CHECK_EQ(TFE_TensorDebugInfoOnDeviceDim(info, 1), 3);
  CHECK_EQ(TFE_TensorDebugInfoOnDeviceDim(info, 2), -1);
  CHECK_EQ(TFE_TensorDebugInfoOnDeviceDim(info, -1), -1);
  TFE_DeleteTensorDebugInfo(info);
  TFE_DeleteTensorDebugInfo(NULL);
  CHECK_EQ(TFE_TensorDebugInfoOnDeviceNumDims(NULL), -1);
  CHECK_EQ(TFE_TensorDebugInfoOnDeviceDim(NULL, 0), -1);
  TFE_DeleteTensorHandle(h);
  TF_DeleteStatus(status);
}

static void TestCopies(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  const float elements[] = {1, 2};
  TFE_TensorHandle* h = Floats(2, elements);
  TFE_TensorHandle* shared = TFE_TensorHandleCopySharingTensor(h, status);
  CHECK_OK(status);
  CHECK(shared != h);
  static const char* const names[] = {"", "/cpu:0", "CPU:0", "/device:CPU:*"};
  for (int i = 0; i < 4; ++i) {
    TFE_TensorHandle* copy = TFE_TensorHandleCopyToDevice(h, context, names[i], status);
    CHECK_OK(status);
    CheckElements(copy, elements, sizeof(elements));
    TFE_DeleteTensorHandle(copy);
  }
  static const char* const wrong[] = {"/gpu:0", "/cpu:1", "/job:worker", "nonsense"};
  for (int i = 0; i < 4; ++i) {
    CHECK(TFE_TensorHandleCopyToDevice(h, context, wrong[i], status) == NULL);
    CHECK_CODE(status, TF_INVALID_ARGUMENT, wrong[i]);
  }
  CHECK(TFE_TensorHandleCopyToDevice(h, context, NULL, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "device_name is null");
  CHECK(TFE_TensorHandleCopyToDevice(h, NULL, "", status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TFE_DeleteTensorHandle(h);
  CheckElements(shared, elements, sizeof(elements));
  TFE_DeleteTensorHandle(shared);
  TF_DeleteStatus(status);
}

static void TestValues(void) {
  TF_Status* status = TF_NewStatus();
  const int64_t none = 0;
  TFE_TensorHandle* empty = HandleOf(TF_DOUBLE, 1, &none, NULL);
  CHECK_EQ(TFE_TensorHandleNumElements(empty, status), 0);
  CheckElements(empty, NULL, 0);
  TFE_DeleteTensorHandle(empty);

  const unsigned char two = 2;
  TF_Tensor* tensor = TensorOf(TF_BOOL, 0, NULL, &two);
  CHECK(TFE_NewTensorHandle(tensor, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "expected 0 or 1");
  TF_DeleteTensor(tensor);
  tensor = TensorOf(TF_QINT8, 0, NULL, &two);
  CHECK(TFE_NewTensorHandle(tensor, status) == NULL);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "11");
  TF_DeleteTensor(tensor);

  // The handle shares memory with the tensor that it came from, and outlives it.
  const double real = 0.25;
  tensor = TensorOf(TF_DOUBLE, 0, NULL, &real);
  TFE_TensorHandle* h = TFE_NewTensorHandle(tensor, status);
  TF_DeleteTensor(tensor);
  TF_Tensor* result = TFE_TensorHandleResolve(h, status);
  TFE_DeleteTensorHandle(h);
  CHECK_EQ(TF_TensorType(result), TF_DOUBLE);
  CHECK(*(const double*)TF_TensorData(result) == real);
  TF_DeleteTensor(result);
  TF_DeleteStatus(status);
}

// Null and deleted handles.
static void TestInvalid(TFE_TensorHandle* h, const char* message) {
  TF_Status* status = TF_NewStatus();
  CHECK_EQ(TFE_TensorHandleDataType(h), 0);
  CHECK_EQ(TFE_TensorHandleNumDims(h, status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  CHECK_EQ(TFE_TensorHandleNumElements(h, status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  CHECK_EQ(TFE_TensorHandleDim(h, 0, status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  CHECK(TFE_TensorHandleDeviceName(h, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  CHECK(TFE_TensorHandleBackingDeviceName(h, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  CHECK(TFE_TensorHandleCopySharingTensor(h, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  CHECK(TFE_TensorHandleResolve(h, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  CHECK(TFE_TensorHandleTensorDebugInfo(h, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  CHECK(TFE_TensorHandleCopyToDevice(h, NULL, "", status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  TFE_DeleteTensorHandle(h);
  TF_DeleteStatus(status);
}

int main(void) {
  TF_Status* status = TF_NewStatus();
  TFE_Context* context = NewContext();
  TestQueries();
  TestCopies(context);
  TestValues();
  CHECK(TFE_NewTensorHandle(NULL, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "t is null");
  TestInvalid(NULL, "h is null");
  TFE_TensorHandle* deleted = Float(1);
  TFE_DeleteTensorHandle(deleted);
  TestInvalid(deleted, "was deleted");
  TFE_DeleteContext(context);
  TF_DeleteStatus(status);
  return Failures();
}
