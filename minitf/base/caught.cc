// Exceptions of all kinds, sorted by what they mean.

#include "minitf/base/caught.h"

#include <exception>
#include <new>
#include <stdexcept>

namespace minitf {

Status CaughtStatus() {
  try {
    throw;
  } catch (const Error& error) {
    return error.status();
  } catch (const std::bad_alloc&) {
    return errors::ResourceExhausted("there is not enough memory");
  } catch (const std::length_error&) {
    return errors::ResourceExhausted("no memory holds so many elements");
  } catch (const std::logic_error& error) {
    return errors::Internal("a mistake in minitf: ", error.what());
  } catch (const std::exception& error) {
    return {Code::kUnknown, error.what()};
  } catch (...) {
    return {Code::kUnknown, "something that is not an exception was thrown"};
  }
}

}  // namespace minitf
