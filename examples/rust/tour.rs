// kiln from Rust: a ufunc, a generalized ufunc and a reduction on the program's own memory, an error with its place, and kernels
// that are shipped as a bundle.
//
//   KILN_RS=$(pkg-config --variable=includedir kiln)/kiln/c/kiln.rs rustc tour.rs $(pkg-config --libs-only-L kiln) -l kiln && ./tour
#[allow(non_camel_case_types, dead_code)]
mod kiln {
    include!(env!("KILN_RS"));
}
use kiln::*;
use std::ffi::CStr;
use std::ptr::{null, null_mut};

/// An error of kiln's: its status, its message and its place.
#[derive(Debug)]
struct Error(i32, String, Option<usize>);

fn check(call: impl FnOnce(*mut *mut kiln_error) -> kiln_status) -> Result<(), Error> {
    let mut error: *mut kiln_error = null_mut();
    let status = call(&mut error);
    if status == KILN_OK {
        return Ok(());
    }
    unsafe {
        let message = CStr::from_ptr(kiln_error_message(error)).to_string_lossy().into_owned();
        let place = kiln_error_get(error, b"position\0".as_ptr() as *const _);
        let place = if place.is_null() { None } else { CStr::from_ptr(place).to_str().unwrap().parse().ok() };
        kiln_error_release(error);
        Err(Error(status, message, place))
    }
}

struct Function(*mut kiln_function);
impl Drop for Function {
    fn drop(&mut self) {
        unsafe { kiln_function_release(self.0) }
    }
}

impl Function {
    fn parse(text: &str) -> Result<Self, Error> {
        let mut made = null_mut();
        check(|error| unsafe { kiln_function_parse(&mut made, text.as_ptr() as *const _, text.len(), error) })?;
        Ok(Function(made))
    }
    fn define(json: &str, cache: *const kiln_cache) -> Result<Self, Error> {
        let mut made = null_mut();
        check(|error| unsafe { kiln_function_define(&mut made, json.as_ptr() as *const _, json.len(), cache, error) })?;
        Ok(Function(made))
    }
    fn call(&self, out: &kiln_array_info, inputs: &[kiln_arg]) -> Result<(), Error> {
        let mut output = memory_arg(out);
        check(|error| unsafe { kiln_call(self.0, &mut output, 1, inputs.as_ptr(), inputs.len(), null(), error) })
    }
}

fn memory(values: &mut [f64], shape: &[i64]) -> kiln_array_info {
    kiln_array_info {
        data: values.as_mut_ptr() as *mut _,
        dtype: kiln_dtype { code: KILN_FLOAT, bits: 64, lanes: 1 },
        ndim: shape.len() as i32,
        shape: shape.as_ptr(),
        ..Default::default()
    }
}

fn memory_arg(memory: &kiln_array_info) -> kiln_arg {
    kiln_arg { kind: KILN_MEMORY, value: kiln_arg_value { memory }, ..Default::default() }
}

fn scalar(f: f64) -> kiln_arg {
    kiln_arg { kind: KILN_SCALAR, dtype: kiln_dtype { code: KILN_FLOAT, bits: 64, lanes: 1 }, value: kiln_arg_value { f }, ..Default::default() }
}

fn open_cache(options: &str) -> Result<*mut kiln_cache, Error> {
    let mut cache = null_mut();
    check(|error| unsafe { kiln_cache_open(&mut cache, options.as_ptr() as *const _, error) })?;
    Ok(cache)
}

fn main() -> Result<(), Error> {
    let (mut b, mut roots, mut total) = ([3.0, 5.0, 7.0], [0.0; 3], [0.0]);
    let shape = [3];
    let (of_b, of_roots, of_total) = (memory(&mut b, &shape), memory(&mut roots, &shape), memory(&mut total, &[]));
    let input = memory_arg(&of_b);

    let disc = Function::parse("float64 disc(float64 a, float64 b, float64 c) = sqrt(b*b - 4*a*c)")?;
    disc.call(&of_roots, &[scalar(1.0), input, scalar(2.0)])?;
    assert!(roots[0] == 1.0 && (roots[2] - 41f64.sqrt()).abs() < 1e-15);

    let dot = Function::parse("(n),(n)->() void dot(float64[:] a, float64[:] b, float64 c) { c = 0; for (index i = 0; i < n; ++i) c += a(i) * b(i); }")?;
    dot.call(&of_total, &[input, input])?;
    assert_eq!(total[0], 83.0);

    let mean = Function::define(
        r#"{"kind": "reduction", "name": "mean", "signatures": ["float64(float64 x)"], "accumulator": "float64 n, sum;",
            "map": "return {1, x};", "reduce": "return {a.n + b.n, a.sum + b.sum};", "post": "return a.sum / a.n;", "identity": "{0, 0}"}"#,
        null(),
    )?;
    mean.call(&of_total, &[input])?;
    assert_eq!(total[0], 5.0);

    match Function::parse("float64 f(flot64 a) = a") {
        Err(Error(KILN_E_SIGNATURE, message, Some(10))) => println!("an error says where:\n{}", message),
        _ => panic!("an error was expected"),
    }

    let text = r#"{"kind": "ufunc", "kernel": "float64 scaled(float64 a) = a * 3"}"#;
    let builder = open_cache("{\"directory\": \"tour-cache\"}\0")?;
    Function::define(text, builder)?.call(&of_roots, &[input])?;
    let mut bundle = null_mut();
    check(|error| unsafe { kiln_cache_export(&mut bundle, builder, null(), 0, error) })?;
    let mut length = 0;
    let bytes = unsafe { std::slice::from_raw_parts(kiln_text_data(bundle, &mut length) as *const u8, length) };
    std::fs::write("tour.bundle", bytes).expect("the file of the bundle");
    let user = open_cache("{\"read_only\": [\"tour.bundle\"]}\0")?;
    Function::define(text, user)?.call(&of_roots, &[input])?;
    let mut stats = kiln_cache_stats::default();
    check(|error| unsafe { kiln_cache_statistics(user, &mut stats, error) })?;
    assert!(roots == [9.0, 15.0, 21.0] && stats.compiles == 0 && stats.read_only_hits == 1);
    println!("all right: the ufunc, the generalized ufunc, the reduction, the error, the bundle of {} bytes", length);
    unsafe {
        kiln_text_release(bundle);
        kiln_cache_release(user);
        kiln_cache_release(builder);
    }
    Ok(())
}
