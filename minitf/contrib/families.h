// Families say that they are there: one line in a source of each.
//
//   const FamilyRegistrar kFamily("image");
//
// So the list has what is in the library, and what a user's library has brought.
//
// Compare    tensorflow/contrib/__init__.py
// Read next  docs/adding_a_family.md

#pragma once

#include <string>
#include <vector>

namespace minitf {

/// At file scope: adds the family `name` to the list.
struct FamilyRegistrar {
  explicit FamilyRegistrar(std::string name);
};

/// The families that are there, such as "image", in alphabetical order.
std::vector<std::string> BuiltFamilies();

}  // namespace minitf
