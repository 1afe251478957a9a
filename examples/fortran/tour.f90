! kiln from Fortran: a ufunc, a generalized ufunc and a reduction on the program's own arrays, an error with its place, and kernels
! that are shipped as a bundle.
!
!   gfortran -o tour $(pkg-config --variable=includedir kiln)/kiln/c/kiln.f90 tour.f90 $(pkg-config --libs kiln) && ./tour
program tour
  use kiln
  implicit none
  real(c_double), target :: b(3) = [3, 5, 7], roots(3) = 0, total = 0
  integer(c_int64_t), target :: shape(1) = [3]
  type(kiln_array_info), target :: of_b, of_roots, of_total
  type(c_ptr) :: disc, dot, mean, wrong, builder, user, built, shipped, bundle, bytes, error
  type(kiln_cache_stats) :: stats
  integer(c_size_t) :: length
  character(kind=c_char), pointer :: characters(:)
  character(*), parameter :: definition = '{"kind": "ufunc", "kernel": "float64 scaled(float64 a) = a * 3"}'

  error = c_null_ptr
  of_b = described(c_loc(b), 1)
  of_roots = described(c_loc(roots), 1)
  of_total = described(c_loc(total), 0)

  call check(parsed(disc, "float64 disc(float64 a, float64 b, float64 c) = sqrt(b*b - 4*a*c)"))
  call run(disc, of_roots, [kiln_real64(1.0_c_double), kiln_memory_arg(of_b), kiln_real64(2.0_c_double)])
  call expect(abs(roots(1) - 1) < 1e-15 .and. abs(roots(3) - sqrt(41.0_c_double)) < 1e-14, "the ufunc")

  call check(parsed(dot, "(n),(n)->() void dot(float64[:] a, float64[:] b, float64 c)" // &
                    " { c = 0; for (index i = 0; i < n; ++i) c += a(i) * b(i); }"))
  call run(dot, of_total, [kiln_memory_arg(of_b), kiln_memory_arg(of_b)])
  call expect(abs(total - 83) < 1e-12, "the generalized ufunc")

  call check(defined(mean, '{"kind": "reduction", "name": "mean", "signatures": ["float64(float64 x)"],' // &
                     ' "accumulator": "float64 n, sum;", "map": "return {1, x};",' // &
                     ' "reduce": "return {a.n + b.n, a.sum + b.sum};", "post": "return a.sum / a.n;",' // &
                     ' "identity": "{0, 0}"}', c_null_ptr))
  call run(mean, of_total, [kiln_memory_arg(of_b)])
  call expect(abs(total - 5) < 1e-12, "the reduction")

  call expect(parsed(wrong, "float64 f(flot64 a) = a") == KILN_E_SIGNATURE, "the error")
  call expect(kiln_string(kiln_error_get(error, "position" // c_null_char)) == "10", "its place")
  print "(a)", "an error says where:", kiln_take_message(error)

  call check(kiln_cache_open(builder, '{"directory": "tour-cache"}' // c_null_char, error))
  call check(defined(built, definition, builder))
  call run(built, of_roots, [kiln_memory_arg(of_b)])
  call check(kiln_cache_export(bundle, builder, c_null_ptr, 0_c_size_t, error))
  bytes = kiln_text_data(bundle, length)
  call c_f_pointer(bytes, characters, [length])
  open(10, file="tour.bundle", access="stream", form="unformatted", status="replace")
  write(10) characters
  close(10)
  call check(kiln_cache_open(user, '{"read_only": ["tour.bundle"]}' // c_null_char, error))
  call check(defined(shipped, definition, user))
  call run(shipped, of_roots, [kiln_memory_arg(of_b)])
  stats%struct_size = c_sizeof(stats)
  call check(kiln_cache_statistics(user, stats, error))
  call expect(abs(roots(2) - 15) < 1e-12 .and. stats%compiles == 0 .and. stats%read_only_hits == 1, "the bundle")
  print "(a)", "all right: the ufunc, the generalized ufunc, the reduction, the error, the bundle"

  call kiln_text_release(bundle)
  call kiln_cache_release(user)
  call kiln_cache_release(builder)
  call kiln_function_release(shipped)
  call kiln_function_release(built)
  call kiln_function_release(mean)
  call kiln_function_release(dot)
  call kiln_function_release(disc)

contains

  function described(data, ndim) result(info)
    type(c_ptr), intent(in) :: data
    integer, intent(in) :: ndim
    type(kiln_array_info) :: info
    info%struct_size = c_sizeof(info)
    info%data = data
    info%dtype = kiln_dtype(int(KILN_FLOAT, c_int8_t), 64_c_int8_t, 1_c_int16_t)
    info%ndim = ndim
    info%shape = c_loc(shape)
  end function described

  integer(c_int32_t) function parsed(function, text)
    type(c_ptr), intent(inout) :: function
    character(*), intent(in) :: text
    parsed = kiln_function_parse(function, text, len(text, c_size_t), error)
  end function parsed

  integer(c_int32_t) function defined(function, text, cache)
    type(c_ptr), intent(inout) :: function
    character(*), intent(in) :: text
    type(c_ptr), intent(in) :: cache
    defined = kiln_function_define(function, text, len(text, c_size_t), cache, error)
  end function defined

  !> Calls a function of one output.
  subroutine run(function, out, inputs)
    type(c_ptr), intent(in) :: function
    type(kiln_array_info), intent(in), target :: out
    type(kiln_arg), intent(in), target :: inputs(:)
    type(kiln_arg), target :: output(1)
    output(1) = kiln_memory_arg(out)
    call check(kiln_call(function, c_loc(output), 1_c_size_t, c_loc(inputs), size(inputs, kind=c_size_t), c_null_ptr, error))
  end subroutine run

  subroutine check(status)
    integer(c_int32_t), intent(in) :: status
    if (status == KILN_OK) return
    print "(a)", kiln_take_message(error)
    error stop 1
  end subroutine check

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    print "(2a)", "wrong: ", what
    error stop 1
  end subroutine expect
end program tour
