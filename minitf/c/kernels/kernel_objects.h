// The structs behind the constructions and contexts of kernels in C.
//
// Read next  minitf/c/kernels/kernels.cc

#pragma once

#include <string>

#include "minitf/c/kernels.h"
#include "minitf/framework/op_kernel.h"

struct TF_OpKernelConstruction {
  minitf::OpKernelConstruction* construction;
};

struct TF_OpKernelContext {
  minitf::OpKernelContext* context;
  const std::string& node_name;
};
