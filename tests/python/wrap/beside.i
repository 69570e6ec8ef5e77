// What another interface file includes.
%{
static int beside_count = 10;
static int beside(int n) { return 2 * n; }
%}
#define BESIDE "beside"
extern int beside_count;
int beside(int n);
