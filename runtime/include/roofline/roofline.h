/* Everything generated code needs: libroofline's core, without a parser. */
#ifndef ROOFLINE_ROOFLINE_H
#define ROOFLINE_ROOFLINE_H

#include <roofline/bind.h>
#include <roofline/checked.h>
#include <roofline/generator.h>
#include <roofline/op.h>
#include <roofline/primitive.h>
#include <roofline/status.h>
#include <roofline/value.h>

#endif
