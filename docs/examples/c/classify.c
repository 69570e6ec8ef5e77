/* Recognises a handwritten digit with the C API of minitf: the answer to "how do I use a
   trained network without Python?".

     classify GRAPH IMAGE

   GRAPH is a frozen graph, such as demo/frozen/frozen.pb of ./lab demo. IMAGE is a grey
   picture of 28 times 28 pixels in the format PGM (P5), such as demo/frozen/7.pgm. The
   program prints the digit. docs/c_api.md shows how to compile it. */

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "minitf/c/c_api.h"

enum { kSide = 28, kPixels = kSide * kSide };

/* Ends the program with a message. */
static void Fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "classify: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  exit(1);
}

static void Check(const TF_Status* status, const char* what) {
  if (TF_GetCode(status) != TF_OK) Fail("%s: %s", what, TF_Message(status));
}

/* Returns the bytes of a file; the caller deletes the buffer. */
static TF_Buffer* ReadFile(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) Fail("%s: cannot be opened", path);
  char* bytes = NULL;
  size_t size = 0, room = 0;
  while (!feof(file)) {
    if (size == room) {
      room = room == 0 ? 1 << 16 : 2 * room;
      bytes = realloc(bytes, room);
      if (bytes == NULL) Fail("%s: does not fit into memory", path);
    }
    size += fread(bytes + size, 1, room - size, file);
    if (ferror(file)) Fail("%s: cannot be read", path);
  }
  fclose(file);
  TF_Buffer* buffer = TF_NewBufferFromString(bytes, size);
  free(bytes);
  return buffer;
}

static TF_Graph* ReadGraph(const char* path, TF_Status* status) {
  TF_Buffer* bytes = ReadFile(path);
  TF_Graph* graph = TF_NewGraph();
  TF_ImportGraphDefOptions* options = TF_NewImportGraphDefOptions();
  TF_GraphImportGraphDef(graph, bytes, options, status);
  Check(status, path);
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteBuffer(bytes);
  return graph;
}

/* Returns a tensor [1,28,28,1] with numbers from 0 to 1. */
static TF_Tensor* ReadImage(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) Fail("%s: cannot be opened", path);
  int width = 0, height = 0, most = 0;
  if (fscanf(file, "P5 %d %d %d", &width, &height, &most) != 3 || fgetc(file) == EOF)
    Fail("%s: is no image in the format P5", path);
  if (width != kSide || height != kSide || most != 255)
    Fail("%s: has %d x %d pixels up to %d, expected %d x %d up to 255", path, width,
         height, most, kSide, kSide);
  unsigned char pixels[kPixels];
  if (fread(pixels, 1, kPixels, file) != kPixels) Fail("%s: ends too early", path);
  fclose(file);

  const int64_t dims[] = {1, kSide, kSide, 1};
  TF_Tensor* image = TF_AllocateTensor(TF_FLOAT, dims, 4, kPixels * sizeof(float));
  if (image == NULL) Fail("there is no memory");
  float* numbers = TF_TensorData(image);
  for (int i = 0; i < kPixels; ++i) numbers[i] = (float)pixels[i] / 255;
  return image;
}

static TF_Output OutputNamed(TF_Graph* graph, const char* name) {
  const TF_Output output = {TF_GraphOperationByName(graph, name), 0};
  if (output.oper == NULL) Fail("the graph has no operation '%s'", name);
  return output;
}

int main(int argc, char** argv) {
  if (argc != 3) Fail("usage: classify GRAPH IMAGE");
  TF_Status* status = TF_NewStatus();
  TF_Graph* graph = ReadGraph(argv[1], status);
  TF_Tensor* image = ReadImage(argv[2]);
  const TF_Output input = OutputNamed(graph, "images");
  const TF_Output output = OutputNamed(graph, "digits");

  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Session* session = TF_NewSession(graph, options, status);
  Check(status, "session");
  TF_Tensor* digits = NULL;
  TF_SessionRun(session, NULL, &input, &image, 1, &output, &digits, 1, NULL, 0, NULL,
                status);
  Check(status, "run");
  if (TF_TensorType(digits) != TF_INT32 || TF_TensorElementCount(digits) != 1)
    Fail("the graph's digits are not one int32 number");
  printf("%d\n", (int)*(const int32_t*)TF_TensorData(digits));

  TF_DeleteTensor(digits);
  TF_DeleteTensor(image);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return 0;
}
