// Sessions. A step is put together by a Step and run without the GIL.
%{
#include "python/swig/steps.h"
using minitf::swig::AddInput;
using minitf::swig::InputList;
using minitf::swig::NewSession;
using minitf::swig::SetAttrTensor;
using minitf::swig::Step;
%}

typedef struct TF_Session TF_Session;

void AddInput(TF_OperationDescription* desc, TF_Operation* oper, int index);
class InputList {
 public:
  InputList();
  void append(TF_Operation* oper, int index);
  void add_to(TF_OperationDescription* desc);
};

void SetAttrTensor(TF_OperationDescription* desc, const char* attr_name,
                   TF_Tensor* owned, TF_Status* status);

TF_Session* NewSession(TF_Graph* graph, TF_Status* status);
void TF_CloseSession(TF_Session* session, TF_Status* status);
void TF_DeleteSession(TF_Session* session, TF_Status* status);

// Other threads of Python run during a step.
%exception Step::run {
  Py_BEGIN_ALLOW_THREADS
  $action
  Py_END_ALLOW_THREADS
}

%feature("docstring") Step "The feeds and fetches of a step.";
%feature("docstring") Step::feed "Feeds output ``index`` of ``oper`` with an array.";
%feature("docstring") Step::fetch
    "Fetches output ``index``; returns its number in the step.";
%feature("docstring") Step::value
    "The array of a fetched output, once; None without one.";
class Step {
 public:
  Step();
  ~Step();

  void feed(TF_Operation* oper, int index, TF_Tensor* owned);
  int fetch(TF_Operation* oper, int index);
  void target(TF_Operation* oper);
  void run(TF_Session* session, TF_Status* status);
  TF_Tensor* value(int number);
};
