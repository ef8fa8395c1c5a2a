/* The commands of `roofline`. Each gets its own argument vector, argv[0] being the command's name, and
   returns the process's exit status: 0 healthy, 1 defects found, 2 usage or I/O. */
#ifndef PRICING_COMMANDS_H
#define PRICING_COMMANDS_H

enum { EXIT_HEALTHY = 0, EXIT_DEFECTS = 1, EXIT_USAGE = 2 };

int price_main(int argc, char **argv);
int diff_main(int argc, char **argv);
int records_main(int argc, char **argv);
int profiles_main(int argc, char **argv);
int headroom_main(int argc, char **argv);
int audit_main(int argc, char **argv);

/* Ends a command's standard output: `status`, or 2 with a message when what was printed got lost. */
int commands_close_stdout(const char *name, int status);

#endif
