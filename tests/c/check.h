// Checks for tests in C. A failed check prints its place and counts; the test goes on.
//
//   int main(void) {
//     CHECK_EQ(TF_NumDims(tensor), 2);
//     CHECK_OK(status);
//     CHECK_CODE(status, TF_INVALID_ARGUMENT, "input 5 does not exist");
//     return Failures();
//   }
//
// Read next  tests/c/eager_op_test.c

#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "minitf/c/tf_status.h"

static int num_failures = 0;
static int num_checks = 0;

/// The exit status of the test: 0 if all checks passed. A test without checks fails.
static inline int Failures(void) {
  printf("%d checks, %d failures\n", num_checks, num_failures);
  return num_failures != 0 || num_checks == 0;
}

static inline void CheckAt(int is_true, const char* text, const char* file, int line) {
  ++num_checks;
  if (is_true) return;
  ++num_failures;
  printf("%s:%d: failed: %s\n", file, line, text);
}

static inline void CheckEqAt(int64_t value, int64_t expected, const char* text,
                             const char* file, int line) {
  CheckAt(value == expected, text, file, line);
  if (value != expected) {
    printf("  is %lld, expected %lld\n", (long long)value, (long long)expected);
  }
}

static inline void CheckTextAt(const char* value, const char* expected, const char* text,
                               const char* file, int line) {
  const int is_equal = value != NULL && strcmp(value, expected) == 0;
  CheckAt(is_equal, text, file, line);
  if (!is_equal) printf("  is '%s', expected '%s'\n", value ? value : "null", expected);
}

static inline void CheckCodeAt(const TF_Status* status, TF_Code code, const char* part,
                               const char* file, int line) {
  const int is_right =
      TF_GetCode(status) == code && strstr(TF_Message(status), part) != NULL;
  CheckAt(is_right, "status", file, line);
  if (is_right) return;
  printf("  is %d '%s', expected %d '%s'\n", (int)TF_GetCode(status), TF_Message(status),
         (int)code, part);
}

/// The condition holds.
#define CHECK(condition) CheckAt(!!(condition), #condition, __FILE__, __LINE__)
/// Two integers are equal.
#define CHECK_EQ(value, expected) \
  CheckEqAt((int64_t)(value), (int64_t)(expected), #value, __FILE__, __LINE__)
/// Two texts are equal.
#define CHECK_TEXT(value, expected) \
  CheckTextAt(value, expected, #value, __FILE__, __LINE__)
/// The status is TF_OK.
#define CHECK_OK(status) CheckCodeAt(status, TF_OK, "", __FILE__, __LINE__)
/// The status has a code, and its message contains a text.
#define CHECK_CODE(status, code, part) CheckCodeAt(status, code, part, __FILE__, __LINE__)
