//! The functions of the WebAssembly module: the only `unsafe` code of the crate.
//!
//! The page writes a request into memory from [`narscope_alloc`], passes it to [`narscope_call`],
//! reads the answer from where [`narscope_answer`] says, before its next call. If a call traps,
//! [`narscope_panic`] says where the message is.

#![allow(unsafe_code, reason = "functions that another language calls by name")]

use std::cell::RefCell;

use crate::Explorer;

thread_local! {
    static EXPLORER: RefCell<Explorer> = RefCell::default();
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(vec![]) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(vec![]) };
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Memory for a request of `length` bytes; it stays the module's.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn narscope_alloc(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(length, 0);
        request.as_mut_ptr()
    })
}

/// Answers the request that was written last; returns the length of the answer.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn narscope_call() -> usize {
    std::panic::set_hook(Box::new(|panic| PANIC.set(panic.to_string())));
    let request = REQUEST.take();
    let answer = EXPLORER.with_borrow_mut(|explorer| explorer.answer(&request));
    let length = answer.len();
    ANSWER.set(answer);
    length
}

/// Where the last answer is.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn narscope_answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// Where the message of a panic is.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn narscope_panic() -> *const u8 {
    PANIC.with_borrow(|panic| panic.as_ptr())
}

/// The length of the message of a panic; 0 if there was none.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn narscope_panic_length() -> usize {
    PANIC.with_borrow(String::len)
}
