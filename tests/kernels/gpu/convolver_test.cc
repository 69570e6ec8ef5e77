// Which of the library's algorithms a convolution takes, and what is remembered.

#include "kernels/gpu/vendor/convolver.h"

#include <cstdlib>
#include <memory>

#include "gtest/gtest.h"
#include "tests/kernels/gpu/fake_library.h"

namespace minitf::gpu {
namespace {

// Before anything is logged.
[[maybe_unused]] const bool kIsLogged = setenv("MINITF_VLOG", "1", 1) == 0;

constexpr size_t kMegabyte = 1 << 20;

// An image of 4x4 with a filter of 3x3: all numbers are 1.
class ConvolverTest : public ::testing::Test {
 protected:
  ConvolverTest() {
    record_.algorithms = {
        {.id = 1, .workspace = kMegabyte},
        {.id = 2, .milliseconds = 0.5, .workspace = 3 * kMegabyte},
        {.id = 3, .workspace = 9 * kMegabyte},
        {.id = 4, .workspace = 2 * kMegabyte, .is_deterministic = false},
        {.id = 5}};
  }

  static ConvCall Call(int images = 1) {
    ConvCall call;
    call.problem.sizes = {
        .n = images, .h = 4, .w = 4, .c = 1, .r = 3, .s = 3, .k = 1, .p = 2, .q = 2};
    return call;
  }

  // The algorithm of one call; 0 if there is none.
  int Run(Convolver* convolver, const ConvCall& call = Call()) {
    std::vector<float> x(call.problem.sizes.x_size(), 1), w(9, 1);
    std::vector<float> y(call.problem.sizes.y_size(), 0);
    rooms_.clear();
    const auto allocate = [this](size_t bytes) -> void* {
      asked_.push_back(bytes);
      if (bytes > available_) return nullptr;
      return rooms_.emplace_back(std::make_unique<char[]>(bytes)).get();
    };
    if (!convolver->Run(call, {x.data(), w.data(), y.data()}, allocate, nullptr))
      return 0;
    EXPECT_EQ(y, std::vector<float>(y.size(), 9));
    EXPECT_EQ(record_.convolutions.back().second, convolver->last_algorithm().id);
    return convolver->last_algorithm().id;
  }

  ::testing::AssertionResult SaysThatThereIsNoMemory(Convolver* convolver,
                                                     const std::string& text) {
    try {
      Run(convolver);
    } catch (const Error& error) {
      const bool is_so = error.status().code() == Code::kResourceExhausted &&
                         std::string(error.what()).starts_with(text);
      return ::testing::AssertionResult(is_so) << error.what();
    }
    return ::testing::AssertionFailure() << "there is memory";
  }

  static std::string LogOf(const std::function<void()>& action) {
    ::testing::internal::CaptureStderr();
    action();
    return ::testing::internal::GetCapturedStderr();
  }

  FakeRecord record_;
  FakeLibrary library_{&record_};
  const CudaStream card_{0};
  size_t available_ = 1000 * kMegabyte;
  std::vector<size_t> asked_;  // for memory
  std::vector<std::unique_ptr<char[]>> rooms_;
};

TEST_F(ConvolverTest, WithoutAutotuneTheFirstThatIsAllowedIsTaken) {
  Convolver convolver(&library_, card_, {.autotune = false});
  EXPECT_EQ(Run(&convolver), 1);
  EXPECT_TRUE(record_.measurements.empty());
  Convolver with_little(&library_, card_, {.autotune = false, .workspace_limit = 1});
  EXPECT_EQ(Run(&with_little), 5);
}

TEST_F(ConvolverTest, AutotuneTakesTheFastestOncePerShapeAndRemembersIt) {  // M159
  Convolver convolver(&library_, card_, {});
  EXPECT_EQ(Run(&convolver), 5);
  record_.algorithms.pop_back();  // now 3 would be the fastest that is deterministic
  EXPECT_EQ(Run(&convolver), 5);
  EXPECT_EQ(Run(&convolver, Call(2)), 3);
  EXPECT_EQ(Run(&convolver), 5);
  EXPECT_EQ(record_.searches.size(), 2);
  EXPECT_EQ(record_.measurements.size(), 2);
  EXPECT_EQ(record_.convolutions.size(), 4);
}

TEST_F(ConvolverTest, EverythingThatACallSaysMakesAShape) {
  Convolver convolver(&library_, card_, {});
  Run(&convolver);
  ConvCall tf32 = Call();
  tf32.problem.use_tf32 = true;
  Run(&convolver, tf32);
  ConvCall nchw = Call();
  nchw.problem.layout = ConvLayout::kNchw;
  Run(&convolver, nchw);
  EXPECT_EQ(record_.measurements.size(), 3);
}

TEST_F(ConvolverTest, MeasuresInTheLargestRoomThatTheLimitAllows) {
  record_.algorithms.pop_back();
  Convolver convolver(&library_, card_, {.workspace_limit = 4 * kMegabyte});
  EXPECT_EQ(Run(&convolver), 2);
  EXPECT_EQ(record_.measurements[0].second, 3 * kMegabyte);
}

TEST_F(ConvolverTest, TheRoomInWhichAlgorithmsWereMeasuredIsTheWorkspace) {
  record_.algorithms = {{.id = 1, .workspace = kMegabyte}};
  Convolver convolver(&library_, card_, {});
  Run(&convolver);
  EXPECT_EQ(std::ranges::count(asked_, kMegabyte), 1);
}

TEST_F(ConvolverTest, WithLessMemoryMeasuresWhatFitsAndAllOfItLater) {
  record_.algorithms.pop_back();
  available_ = 2 * kMegabyte;
  Convolver convolver(&library_, card_, {});
  EXPECT_EQ(Run(&convolver), 1);
  EXPECT_EQ(record_.measurements[0].second, kMegabyte);
  available_ = 20 * kMegabyte;
  for (int i = 1; i < 100; ++i) EXPECT_EQ(Run(&convolver), 1);
  EXPECT_EQ(record_.measurements.size(), 1);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(Run(&convolver), 3);
  EXPECT_EQ(record_.measurements.size(), 2);
}

TEST_F(ConvolverTest, WhereNothingFitsThereIsNoMemory) {
  record_.algorithms = {{.id = 1, .workspace = kMegabyte}};
  available_ = 100;
  Convolver convolver(&library_, card_, {});
  EXPECT_TRUE(SaysThatThereIsNoMemory(
      &convolver,
      "there is no memory of 1048576 bytes for cuDNN, for a convolution of 1 images of "
      "4x4 with 1 channels and 1 filters of "
      "3x3, strides 1 and 1, dilations 1 and 1, padding 0+0 and 0+0, in NHWC"));
  available_ = 10;
  Convolver other(&library_, card_, {});
  EXPECT_TRUE(
      SaysThatThereIsNoMemory(&other, "there is no memory of 36 bytes for cuDNN"));
}

TEST_F(ConvolverTest, AWorkspaceThatWasRefusedIsAskedForOnlyLater) {
  record_.algorithms = {{.id = 3, .workspace = 9 * kMegabyte},
                        {.id = 1, .workspace = kMegabyte}};
  Convolver convolver(&library_, card_, {.autotune = false});
  EXPECT_EQ(Run(&convolver), 3);
  available_ = 2 * kMegabyte;
  asked_.clear();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(Run(&convolver), 1);
  EXPECT_EQ(std::ranges::count(asked_, 9 * kMegabyte), 1);
  available_ = 20 * kMegabyte;
  for (int i = 50; i < 100; ++i) EXPECT_EQ(Run(&convolver), 1);
  EXPECT_EQ(Run(&convolver), 3);
}

TEST_F(ConvolverTest, AnAlgorithmThatIsListedAndDoesNotWorkIsForgotten) {
  record_.broken = {1, 2};
  Convolver convolver(&library_, card_, {.autotune = false});
  EXPECT_EQ(Run(&convolver), 3);
  EXPECT_EQ(record_.convolutions.size(), 3);
  EXPECT_EQ(Run(&convolver), 3);
  EXPECT_EQ(record_.convolutions.size(), 4);
  record_.broken = {1, 2, 3, 4, 5};
  Convolver measured(&library_, card_, {});
  for (Convolver* each : {&convolver, &measured}) EXPECT_EQ(Run(each), 0);
}

TEST_F(ConvolverTest, AfterAnyFailureTheNextAlgorithmIsTaken) {
  record_.failure = errors::Internal("the first fails");
  record_.broken = {1, 2};
  Convolver convolver(&library_, card_, {.autotune = false});
  EXPECT_EQ(Run(&convolver), 3);
  record_.broken = {1, 2, 3, 4, 5};
  for (int i = 0; i < 2; ++i) {
    try {
      Run(&convolver, Call(2));
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()),
                "the first fails, for a convolution of 2 images of 4x4 with 1 channels "
                "and 1 filters of 3x3, strides 1 and 1, dilations 1 and 1, padding 0+0 "
                "and 0+0, in NHWC; cuDNN got it in NCHW");
    }
  }
  record_.broken.clear();
  EXPECT_EQ(Run(&convolver, Call(2)), 1);  // an error is not remembered
}

TEST_F(ConvolverTest, WhereNoAlgorithmWorksInNhwcThoseOfNchwAreTaken) {
  record_.broken = {1, 2, 3, 4, 5};
  record_.broken_in = {ConvLayout::kNhwc};
  for (const bool autotune : {true, false}) {
    Convolver convolver(&library_, card_, {.autotune = autotune});
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(Run(&convolver), autotune ? 5 : 1);
      EXPECT_EQ(record_.convolutions.back().first.layout, ConvLayout::kNchw);
    }
  }
  EXPECT_EQ(record_.searches.size(), 4);
}

TEST_F(ConvolverTest, TheChoiceIsLogged) {
  Convolver convolver(&library_, card_, {.workspace_limit = 4 * kMegabyte});
  record_.algorithms.pop_back();
  const std::string text = LogOf([&] { Run(&convolver); });
  EXPECT_NE(text.find("cuDNN takes algorithm 2 with 3145728 bytes of workspace in NHWC, "
                      "measured to take 0.5 ms, for a convolution of 1 images "
                      "of 4x4 with 1 channels"),
            std::string::npos)
      << text;
  EXPECT_EQ(LogOf([&] { Run(&convolver); }), "");
  record_.algorithms.clear();
  EXPECT_NE(LogOf([&] { Run(&convolver, Call(2)); }).find("no algorithm that is allowed"),
            std::string::npos);
}

TEST_F(ConvolverTest, SumsThatDifferFromRunToRunAreAllowedOnlyIfAskedFor) {
  record_.algorithms = {{.id = 4, .is_deterministic = false}};
  Convolver convolver(&library_, card_, {});
  EXPECT_EQ(Run(&convolver), 0);
  Convolver any(&library_, card_, {.only_deterministic = false});
  EXPECT_EQ(Run(&any), 4);
}

TEST_F(ConvolverTest, NoAlgorithmWithinTheLimitIsNoCall) {
  record_.algorithms = {{.id = 2, .workspace = 3 * kMegabyte}};
  Convolver convolver(&library_, card_, {.workspace_limit = kMegabyte});
  EXPECT_EQ(Run(&convolver), 0);
  EXPECT_TRUE(record_.convolutions.empty());
  EXPECT_TRUE(asked_.empty());
}

}  // namespace
}  // namespace minitf::gpu
