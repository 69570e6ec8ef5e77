// A module for tests of memory, threads and help. ./lab bench bindings times its calls.
%module(threads="1") kit
%nothread;
%{
#include <unistd.h>
#include <stdexcept>
struct Node {
  static int alive() { return count(); }
  static int& count() { static int number = 0; return number; }
  int value;
  Node(int value) : value(value) { ++count(); }
  Node(const Node& other) : value(other.value) { ++count(); }
  Node& operator=(const Node& other) = default;
  ~Node() { --count(); }
  int plus(int n) const { return value + n; }
  Node twice() const { return Node(2 * value); }
};
%}
struct Node {
  int value;
  Node(int value);
  ~Node();
  static int alive();
  int plus(int n) const;
  Node twice() const;
};
%thread nap;
%immutable Pair::first;
%feature("docstring") nap "Sleeps for some milliseconds."
%inline %{
struct Pair { Node first; Pair() : first(0) {} };
int nap(int milliseconds) { usleep(1000 * milliseconds); return milliseconds; }
int hold(int milliseconds) { usleep(1000 * milliseconds); return milliseconds; }
int add(int a, int b) { return a + b; }
const char* echo(const char* text) { return text; }
void fail() { throw std::runtime_error("broken"); }
void fail_oddly() { throw 3; }
double number = 1.5;
const char* note = "first";
struct Label { const char* text; };
%}
