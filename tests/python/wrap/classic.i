// The first example of SWIG's manual: functions and a global variable of C.
%{
double My_variable = 3.0;
int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
int my_mod(int x, int y) { return x % y; }
%}
extern double My_variable;
extern int fact(int n);
extern int my_mod(int x, int y);
