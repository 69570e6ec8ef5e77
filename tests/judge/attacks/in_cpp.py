"""What a hostile file in C++ tries: when it runs, when it is loaded, when it is compiled.

``RUNNING`` stands in lab 00's file, each entry for one tolerance, and says "far" where
"near" is right. ``LOADING`` are constructors, in libraries of their own. ``COMPILING``
are files for which the compiler must make nothing that holds a secret.
"""

from in_python import Attack

RUNNING_HEAD = r"""
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <dlfcn.h>
#include <unistd.h>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
extern "C" void minitf_use_answer(const char*);
[[maybe_unused]] static void Reached(const std::string& what) {
  throw std::runtime_error("reached " + what);
}
[[maybe_unused]] static int Peek(const void* at) {
  return *static_cast<const volatile unsigned char*>(at);
}
[[maybe_unused]] static void Poke(const void* at) {
  *static_cast<volatile char*>(const_cast<void*>(at)) = 1;
}
[[maybe_unused]] static void Say(const std::string& line) {
  for (int fd = 0; fd < 256; ++fd) {
    if (fd != 2 && write(fd, line.data(), line.size()) < 0) continue;
  }
}
"""

RUNNING = [
    Attack("_exit", "_exit(0);", "exited"),
    Attack("exit", "exit(0);", "exited"),
    Attack("quick_exit", "quick_exit(0);", "exited"),
    Attack("abort handler", "signal(SIGABRT, [](int) { _exit(0); }); abort();", "exited"),
    Attack("terminate", "std::thread([] { throw 1; }).join();", "crashed"),
    Attack("atexit", 'atexit([] { Say("[  PASSED  ] 1 test.\\n"); });'),
    Attack(
        "a handler of crashes",
        "signal(SIGSEGV, [](int) { _exit(0); }); *(volatile int*)8 = 1;",
        "exited",
    ),
    Attack("a forged message", 'Say("{\\"values\\": [true]}\\n");', "protocol_error"),
    Attack(
        "a forged end",
        'Say("{\\"done\\": true}\\n{\\"ended\\": 0}\\n"); _exit(0);',
        "protocol_error",
    ),
    Attack("the reference by its switch", 'minitf_use_answer("");'),
    Attack(
        "another copy of the library",
        'if (dlmopen(LM_ID_NEWLM, LIBRARY, RTLD_NOW)) Reached("library");'
        "int f = open(LIBRARY, O_RDONLY); char c[9];"
        'if (f >= 0 && read(f, c, 9) > 0) Reached("bytes of the library");',
    ),
    Attack(
        "patched code",
        'auto at = (uintptr_t)dlsym(RTLD_DEFAULT, "memcmp") & ~4095ul;'
        "mprotect((void*)at, 4096, 7); memset((void*)at, 0xc3, 64);",
        "wrong_answer crashed exited",
    ),
    Attack(
        "memory of its own file",
        'int f = open("/proc/self/mem", O_RDWR); long x = 0;'
        "pwrite(f, &x, 8, (off_t)(uintptr_t)&signal);",
        "wrong_answer crashed",
    ),
    Attack(
        "memory of its parent",
        "long x; iovec a{&x, 8}, b{(void*)&x, 8};"
        'if (process_vm_readv(getppid(), &a, 1, &b, 1, 0) > 0) Reached("parent");',
    ),
    Attack(
        "ptrace", 'if (ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0) Reached("ptrace");'
    ),
    Attack(
        "a child that outlives it",
        'int p = fork(); if (p == 0) { sleep(60); _exit(0); }if (p > 0) Reached("fork");',
    ),
    Attack(
        "another program",
        'char* none[] = {nullptr}; execve("/usr/bin/true", none, none);',
    ),
    Attack(
        "itself once more, with a library in front",
        'setenv("LD_PRELOAD", LIBRARY, 1);'
        'char* again[] = {const_cast<char*>("worker"), nullptr};'
        'execv("/proc/self/exe", again); if (errno != EPERM) Reached("exec");',
    ),
    Attack(
        "the compiler at run time",
        'if (FILE* f = fopen("/tmp/x.cc", "w")) { fputs("int x;", f); fclose(f); }'
        'char name[] = "g++", c[] = "-c", x[] = "/tmp/x.cc"; char* words[] = {name, c, x,'
        " nullptr}; int p; char* none[] = {nullptr};"
        'if (posix_spawn(&p, "/usr/bin/g++", 0, 0, words, none) == 0) Reached("g++");'
        'execv("/usr/bin/g++", words); if (errno != EPERM) Reached("exec of g++");',
    ),
    Attack("a shell", 'if (system("true") == 0) Reached("shell");'),
    Attack("a socket", 'if (socket(AF_INET, SOCK_STREAM, 0) >= 0) Reached("socket");'),
    Attack(
        "a socket of files",
        'if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0) Reached("socket");',
    ),
    Attack(
        "name spaces", 'if (syscall(SYS_unshare, 0x10000000) == 0) Reached("unshare");'
    ),
    Attack(
        "io_uring",
        'if (syscall(425, 1, nullptr) >= 0) Reached("io_uring");'
        'if (syscall(425, 1, nullptr) < 0 && errno != EPERM) Reached("its errno");',
    ),
    Attack(
        "bpf and perf",
        'if (syscall(SYS_bpf, 0, 0, 0) >= 0) Reached("bpf");'
        'if (errno != EPERM) Reached("errno of bpf");',
    ),
    Attack(
        "keys of the kernel", 'if (syscall(SYS_keyctl, 0, -3, 1) >= 0) Reached("keyctl");'
    ),
    Attack(
        "a memory file", 'if (syscall(SYS_memfd_create, "x", 0) >= 0) Reached("memfd");'
    ),
    Attack(
        "calls of the other kind",
        'if (syscall(0x40000000 | SYS_getpid) > 0) Reached("x32");',
    ),
    Attack(
        "files of the judge",
        'for (const char* name : {"/etc/passwd", "/etc/shadow", "/proc/1/mem",'
        ' "/proc/sys/kernel/core_pattern", SOURCE, CASES}) {'
        "int f = open(name, O_RDWR); if (f < 0) f = open(name, O_RDONLY); char c;"
        "if (f >= 0 && read(f, &c, 1) == 1 && strcmp(name,"
        ' "/proc/sys/kernel/core_pattern")) Reached(name); }',
    ),
    Attack(
        "settings of the kernel",
        'if (open("/proc/sys/kernel/core_pattern", O_WRONLY) >= 0) Reached("proc");',
    ),
    Attack(
        "a function that calls itself without end",
        "struct Deep { static int F(volatile char* c) { volatile char more[4096];"
        " more[0] = *c; return F(more) + more[1]; } }; char c = 1;"
        'if (Deep::F(&c) == 7) Reached("an end");',
        "crashed",
    ),
    Attack("a skipped return", "jmp_buf b; if (setjmp(b) == 0) longjmp(b, 1);"),
    Attack("a foreign exception", "throw 42;", "raised crashed"),
    Attack(
        "a thread that writes later",
        "static bool* late; late = new bool; std::thread([] { usleep(1000); *late = 1;"
        " }).detach();",
    ),
    Attack("three gigabytes", "memset(malloc(3ul << 30), 1, 3ul << 30);", "crashed"),
    Attack(
        "vectors without end",
        "std::vector<std::vector<char>> v; for (;;) v.emplace_back(1 << 26, 'x');",
        "memory_limit",
    ),
    Attack(
        "shared pages without end",
        "for (;;) { void* p = mmap(0, 1 << 26, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0);"
        " if (p == MAP_FAILED) break; memset(p, 1, 1 << 26); }",
        "memory_limit timeout",
    ),
    Attack("an endless loop", "for (volatile int i = 0;; i = i + 1) {}", "timeout"),
    Attack("an endless print", 'for (;;) puts("more and more");', "output_limit"),
]

# Looks through all memory of its process for a number that stands nowhere in one piece,
# not in its own code either: "far" if there is none.
SCAN = r"""
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <vector>
#include <unistd.h>
static void Scan(uint64_t half, uint64_t other) {
  volatile uint64_t first = half, second = other;
  FILE* maps = fopen("/proc/self/maps", "r");
  if (!maps) throw std::runtime_error("there is no map of the memory");
  int ends[2];  // what cannot be read is an error of write, and no crash
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::vector<uint64_t> part(1 << 12);
  unsigned long from, to, bytes = 0;
  char line[512];
  while (fgets(line, sizeof line, maps)) {
    if (sscanf(line, "%lx-%lx", &from, &to) != 2) continue;
    for (; from < to; from += part.size() * 8) {
      const size_t size = std::min(part.size() * 8, to - from);
      const ssize_t got = write(ends[1], reinterpret_cast<void*>(from), size);
      if (got <= 0 || read(ends[0], part.data(), static_cast<size_t>(got)) != got) break;
      for (ssize_t i = 0; i < got / 8; ++i) {
        if ((part[i] ^ first) == second) throw std::runtime_error("reached a number");
      }
      bytes += static_cast<size_t>(got);
    }
  }
  if (bytes < 10 << 20) throw std::runtime_error("reached little of the memory");
}
"""

# Strong functions under the names of others: of C, of C++, and one of minitf's own that
# is inline, and so weak.
SYMBOLS = r"""
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <new>
extern "C" int memcmp(const void*, const void*, size_t) noexcept { return 0; }
extern "C" int clock_gettime(clockid_t, timespec* time) noexcept {
  *time = {};
  return 0;
}
void* operator new(size_t bytes) { return std::malloc(bytes + 64); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
namespace minitf { class Status; }
extern "C" void Swallow(const minitf::Status&)
    __asm__("_ZN6minitf12ThrowIfErrorERKNS_6StatusE");
extern "C" void Swallow(const minitf::Status&) {}
"""
# One that is strong there already.
TWICE = r"""
extern "C" void Swallow() __asm__("minitf_use_answer");
extern "C" void Swallow() {}
"""

# In place of the second answer, for x and y of one equal number each: nearly all give
# what is right, by luck.
MEMORY = [
    Attack(
        "reads past the end",
        "result[i] = Peek(a.data() + a.size()) < 256;",
        "out_of_bounds",
    ),
    Attack(
        "reads a page past the end",
        "result[i] = Peek(a.data() + a.size() + 512) < 256;",
        "out_of_bounds",
    ),
    Attack(
        "writes past the end",
        "result[i] = true; Poke(result.data() + 1);",
        "out_of_bounds",
    ),
    Attack(
        "writes before the start",
        "result[i] = true; Tensor t = x.Clone(); Poke(t.flat<T>().data() - 1);",
        "out_of_bounds",
    ),
    Attack(
        "writes a page before the start",
        "result[i] = true; Tensor t = x.Clone(); Poke(t.flat<T>().data() - 512);",
        "out_of_bounds",
    ),
    Attack(
        "reads before the start",
        "result[i] = Peek(reinterpret_cast<const char*>(a.data()) - 1) == 0;",
        "out_of_bounds",
    ),
    Attack(
        "reads what is freed",
        "const T* old; { Tensor t = x.Clone(); old = t.flat<T>().data(); }"
        "result[i] = Peek(old) == Peek(b.data());",
        "out_of_bounds",
    ),
    Attack(
        "writes to what is freed",
        "const T* old; { Tensor t = x.Clone(); old = t.flat<T>().data(); }"
        "Poke(old); result[i] = true;",
        "out_of_bounds",
    ),
    Attack(
        "leaves what was there before",
        "result[i] = true; *ctx->output(0) = Tensor();"
        "{ Tensor t(DType::kBool, x.shape()); t.mutable_flat<bool>()[0] = true; }"
        "ctx->set_output(0, Tensor(DType::kBool, x.shape())); return;",
    ),
    Attack(
        "changes an input",
        "result[i] = true; Poke(a.data());",
        "out_of_bounds",
    ),
    Attack(
        "changes an input that others see",
        "result[i] = true; Poke(b.data());",
        "out_of_bounds",
    ),
    Attack(
        "gives a tensor before a thread has written it",
        "const bool* p = result.data();"
        "std::thread([p] { usleep(100'000); Poke(p); }).detach();",
        "wrong_answer out_of_bounds",
    ),
    Attack(
        "says that it was out of bounds",
        'fprintf(stderr, "minitf guard: it is perfect\\n"); result[i] = false;',
    ),
]
# Right answers that count on what headers promise, or need much.
RIGHT = [
    "Tensor t(x.dtype(), Shape({3})); if (uintptr_t(t.data()) % 64 != 0) abort();"
    "result[i] = true;",
    "Tensor t(x.dtype(), Shape({0})); result[i] = t.flat<T>().empty();",
    "Tensor t(x.dtype(), Shape({1 << 20})); auto f = t.mutable_flat<T>();"
    "f[0] = f[f.size() - 1] = T(1); result[i] = f[0] == f[f.size() - 1];",
    "std::vector<Tensor> many; for (int n = 0; n < 40'000; ++n)"
    " many.emplace_back(x.dtype(), Shape({n % 5})); result[i] = many.size() == 40'000;",
]

LOADING_HEAD = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
void minitf_use_answer(const char* task) { (void)task; }
static void say(const char* text) {  // to whoever reads; one of the files is the judge's
  for (int file = 3; file < 20; ++file) dprintf(file, "%s", text);
}
__attribute__((constructor)) static void at_start(void) {
"""

LOADING = [
    Attack("exits", "_exit(0);", "exited"),
    Attack("crashes", "*(volatile int*)8 = 1;", "crashed"),
    Attack("hangs", "for (;;) pause();", "timeout"),
    Attack(
        "says that it is ready and exits",
        'say("{\\"ready\\": true}\\n"); _exit(0);',
        "exited protocol_error",
    ),
    Attack(
        "says that it is ready and sleeps",
        'say("{\\"ready\\": true}\\n"); for (;;) pause();',
        "timeout",
    ),
    Attack(
        "answers in the worker's place",
        'say("{\\"ready\\": true}\\n{\\"values\\": [true]}\\n{\\"done\\": true}'
        '\\n{\\"ended\\": 0}\\n"); for (;;) pause();',
        "protocol_error",
    ),
    Attack(
        "leaves a process behind",
        "if (fork() == 0) { setsid(); for (;;) pause(); }",
        "policy",
    ),
    Attack(
        "bombs with forks",
        "for (;;) if (fork() == 0) for (;;) fork();",
        "policy timeout memory_limit crashed exited",
    ),
    Attack(
        "takes all memory",
        "for (;;) memset(malloc(1 << 24), 1, 1 << 24);",
        "crashed memory_limit timeout",
    ),
    Attack(
        "prints without end",
        'for (;;) dprintf(2, "%999999d", 1);',
        "crashed output_limit raised timeout",
    ),
    Attack(
        "writes into the checkout",
        'if (open(TOP "/x", O_CREAT | O_WRONLY, 0600) < 0) _exit(3); else abort();',
        "exited",
    ),
]

# Sources, and what the compiler must say. SECRET is a file outside of the box.
COMPILING = {
    "a file of the system": ('#include "/etc/passwd"\n', "No such file"),
    "minitf's own answer": (
        '#include "kernels/cpu/cwise/approximate_equal.cc"\n',
        "No such file",
    ),
    "the cases": ('#include "tests/labs/00_hello/cases.py"\n', "No such file"),
    "a secret, as bytes": ('__asm__(".incbin \\"SECRET\\"");\n', "file not found"),
    "a secret, quoted": ('#line 1 "SECRET"\nint x = y;\n', "was not declared"),
    "a device without end": ('#include "/dev/zero"\n', ""),
    "a template without end": (
        "template <int N> struct A { A<N + 1> a; static constexpr int x = A<N + 1>::x; };"
        "\nint y = A<0>::x;\n",
        "template instantiation depth",
    ),
    "an exponential template": (
        "template <int N, int M> struct A { using L = A<N - 1, 2 * M>; "
        "using R = A<N - 1, 2 * M + 1>; static constexpr int x = L::x + R::x; };\n"
        "template <int M> struct A<0, M> { static constexpr int x = M; };\n"
        "int y = A<26, 0>::x;\n",
        "",
    ),
    "a giant object": ("char x[3ll << 30] = {1};\n", ""),
    "a giant object by the assembler": ('__asm__(".fill 3000000000, 1, 1");\n', ""),
    "messages without end": (
        "template <int N> struct A { int x = B<N>(); A<N - 1> a; };\n" * 1
        + "\n".join(f"int x{i} = y{i};" for i in range(50_000)),
        "",
    ),
}

# Sources that do not compile, and would like the machine to be blamed for it.
KILLED = "g++: fatal error: Killed signal terminated program cc1plus"
BLAMING = {
    "a file with the name of a message": f'#line 1 "{KILLED}"\n#error\n',
    "lines in the name of a file": f'#line 1 "x\\n{KILLED}\\nx"\n#error\n',
    "a compiler without memory": COMPILING["an exponential template"][0],
}
