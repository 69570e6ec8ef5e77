// Eigen::Tensor expressions over tensors, evaluated by the threads of a ThreadPool.
//
// A header of its own because Eigen's Tensor module takes seconds to compile: only
// kernels that need contractions include it.
//
// Read next  kernels/cpu/matmul.cc

#pragma once

#define EIGEN_USE_THREADS
#include <unsupported/Eigen/CXX11/Tensor>

#include "minitf/base/thread_pool.h"

namespace minitf {

/// The pool as a device that evaluates Eigen::Tensor expressions on its threads.
inline Eigen::ThreadPoolDevice EigenDevice(ThreadPool& threads) {
  return {threads.eigen_pool(), threads.num_threads()};
}

}  // namespace minitf
