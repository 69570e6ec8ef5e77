// Symbols, from the debugging information and the symbol tables of ELF files.
//
// Compare    ELF-64 Object File Format, sections 4 and 6; "ELF Handling For Thread-Local
//            Storage" (Drepper, 2005)
// Read next  kernels/simt/check/shadow.cc

#include "kernels/simt/check/symbols.h"

#include <cstdlib>
#include <cxxabi.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <map>
#include <set>
#include <string_view>

// Of libbacktrace, which GCC brings with a header that other compilers do not find.
extern "C" {
struct backtrace_state;
using backtrace_error = void (*)(void* data, const char* message, int number);
using backtrace_full = int (*)(void* data, uintptr_t code, const char* file, int line,
                               const char* function);
using backtrace_symbol = void (*)(void* data, uintptr_t code, const char* symbol,
                                  uintptr_t value, uintptr_t size);
backtrace_state* backtrace_create_state(const char* file, int has_threads,
                                        backtrace_error error, void* data);
int backtrace_pcinfo(backtrace_state* state, uintptr_t code, backtrace_full found,
                     backtrace_error error, void* data);
int backtrace_syminfo(backtrace_state* state, uintptr_t address, backtrace_symbol found,
                      backtrace_error error, void* data);
}

namespace simt {
namespace {

void IgnoreError(void*, const char*, int) {}

backtrace_state* Backtrace() {
  static backtrace_state* const state =
      backtrace_create_state(nullptr, 0, IgnoreError, nullptr);
  return state;
}

std::string Demangled(const char* symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string found = text == nullptr ? symbol : text;
  std::free(text);
  return found;
}

// "void matmul<16>(float const*, int)" as "matmul<16>".
std::string WithoutTypes(std::string name) {
  if (name.starts_with("void ")) name.erase(0, 5);
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (size_t at; (at = name.find(kAnonymous)) != std::string::npos;) {
    name.erase(at, kAnonymous.size());
  }
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0) return name.substr(0, i);
  }
  return name;
}

// Of a function-scope variable: what stands before and after the last "::".
SharedVariable Split(const std::string& name) {
  SharedVariable found;
  const size_t colons = name.rfind("::");
  found.name = colons == std::string::npos ? name : name.substr(colons + 2);
  if (colons != std::string::npos) found.function = WithoutTypes(name.substr(0, colons));
  return found;
}

bool IsOwn(std::string_view symbol) {
  return symbol.find("4simt") != std::string_view::npos;
}

// Whether a variable is the compiler's, which says whether others are initialised.
bool IsGuard(std::string_view symbol) {
  return symbol.starts_with("_ZGV") || symbol == "__tls_guard";
}

std::vector<char> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Appends the thread_local variables of an ELF file.
void AddShared(const std::string& path, Module* module) {
  const std::vector<char> file = ReadFile(path);
  if (file.size() < sizeof(Elf64_Ehdr)) return;
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(file.data());
  const auto* const sections =
      reinterpret_cast<const Elf64_Shdr*>(file.data() + header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const auto* const symbols =
        reinterpret_cast<const Elf64_Sym*>(file.data() + sections[i].sh_offset);
    const char* const names = file.data() + sections[sections[i].sh_link].sh_offset;
    for (size_t s = 0; s < sections[i].sh_size / sizeof(Elf64_Sym); ++s) {
      const Elf64_Sym& symbol = symbols[s];
      const char* const name = names + symbol.st_name;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS || symbol.st_size == 0) continue;
      if (symbol.st_shndx == SHN_UNDEF || IsOwn(name)) continue;
      SharedVariable variable;
      if (!IsGuard(name)) variable = Split(Demangled(name));
      variable.begin = module->thread_local_.begin + symbol.st_value;
      variable.size = symbol.st_size;
      module->shared.push_back(std::move(variable));
    }
  }
}

Module ModuleOf(const dl_phdr_info& info) {
  Module module;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& part = info.dlpi_phdr[i];
    const Range range = {info.dlpi_addr + part.p_vaddr,
                         info.dlpi_addr + part.p_vaddr + part.p_memsz};
    if (part.p_type == PT_TLS && info.dlpi_tls_data != nullptr) {
      const auto begin = reinterpret_cast<uintptr_t>(info.dlpi_tls_data);
      module.thread_local_ = {begin, begin + part.p_memsz};
    }
    if (part.p_type != PT_LOAD) continue;
    if (module.code.end == 0) module.code.begin = range.begin;
    module.code.end = range.end;
    if ((part.p_flags & PF_W) != 0) module.writable.push_back(range);
  }
  const bool is_program = info.dlpi_name == nullptr || *info.dlpi_name == '\0';
  if (module.thread_local_.begin != 0) {
    AddShared(is_program ? "/proc/self/exe" : info.dlpi_name, &module);
  }
  return module;
}

struct Search {
  const std::vector<uintptr_t>* addresses;
  std::vector<Module> found;
};

}  // namespace

Site SiteOf(uintptr_t return_address) {
  struct Found {
    std::string file;
    int line = 0;
  } found;
  if (return_address == 0) return {};
  backtrace_pcinfo(
      Backtrace(), return_address - 1,
      [](void* data, uintptr_t, const char* file, int line, const char*) -> int {
        auto& found = *static_cast<Found*>(data);
        if (file == nullptr ||
            std::string_view(file).find("kernels/simt/") != std::string_view::npos) {
          return 0;  // a function of ours that was put inline: go on to who calls it
        }
        if (std::string_view(file).starts_with("/usr/")) return 0;
        if (found.line == 0) found = {file, line};
        return 1;
      },
      IgnoreError, &found);
  if (found.line == 0) return {};
  static auto& files = *new std::set<std::string>;  // so that Sites may point to them
  return {files.insert(found.file).first->c_str(), found.line};
}

std::string NameOfFunction(const void* function) {
  std::string name = "?";
  backtrace_syminfo(
      Backtrace(), reinterpret_cast<uintptr_t>(function),
      [](void* data, uintptr_t, const char* symbol, uintptr_t, uintptr_t) {
        if (symbol != nullptr) *static_cast<std::string*>(data) = symbol;
      },
      IgnoreError, &name);
  return WithoutTypes(Demangled(name.c_str()));
}

std::string SourceLine(Site site) {
  if (site.file == nullptr) return "";
  static auto& known = *new std::map<std::string, std::vector<std::string>>;
  std::vector<std::string>& lines = known[site.file];
  if (lines.empty()) {
    std::ifstream in(site.file);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    lines.emplace_back();
  }
  if (site.line < 1 || site.line > static_cast<int>(lines.size())) return "";
  const std::string& line = lines[site.line - 1];
  const size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin);
}

std::string FileName(const char* path) {
  if (path == nullptr) return "?";
  const std::string_view all = path;
  const size_t slash = all.rfind('/');
  return std::string(slash == std::string_view::npos ? all : all.substr(slash + 1));
}

std::vector<Module> FindModules(const std::vector<uintptr_t>& addresses) {
  Search search = {&addresses, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) -> int {
        auto& search = *static_cast<Search*>(data);
        const Module module = ModuleOf(*info);
        for (const uintptr_t address : *search.addresses) {
          if (!module.code.Contains(address)) continue;
          search.found.push_back(module);
          break;
        }
        return 0;
      },
      &search);
  return search.found;
}

}  // namespace simt
