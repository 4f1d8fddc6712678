//! What a value is, wherever it is attached: a scalar, a mask, a pointer, a class.

use std::fmt::Debug;

use crate::column::Stored;
use crate::kind::Kind;

/// The content type of a value: how one item is represented and stored.
pub trait Content: 'static {
    /// One item.
    type Item: Copy + PartialEq + Debug + Send + Sync;
    /// The stored type of an item.
    type Stored: Stored;
    /// How it is represented.
    const KIND: Kind;
    /// The names of the classes; empty unless it is categorical.
    const CLASSES: &'static [&'static str] = &[];
    /// Whether the reference draws it as an integer.
    const WHOLE: bool = false;
    /// Whether it never changes while an algorithm runs.
    const CONSTANT: bool = false;
    /// Converts an item to its stored form.
    fn store(item: Self::Item) -> Self::Stored;
    /// Converts a stored item back.
    fn load(stored: Self::Stored) -> Self::Item;
}

macro_rules! content {
    ($(#[$doc:meta])* $Name:ident, $Item:ty, $kind:ident as $Stored:ty $(, flag $FLAG:ident)?; $store:expr, $load:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $Name;

        impl Content for $Name {
            type Item = $Item;
            type Stored = $Stored;
            const KIND: Kind = Kind::$kind;
            $(const $FLAG: bool = true;)?
            #[inline]
            fn store(item: Self::Item) -> Self::Stored {
                let store: fn(Self::Item) -> Self::Stored = $store;
                store(item)
            }
            #[inline]
            fn load(stored: Self::Stored) -> Self::Item {
                let load: fn(Self::Stored) -> Self::Item = $load;
                load(stored)
            }
        }
    };
}

content!(
    /// A real number.
    Scalar, f64, Scalar as f64; |x| x, |x| x
);
content!(
    /// A number that the reference draws as an integer.
    Whole, f64, Scalar as f64, flag WHOLE; |x| x, |x| x
);
content!(
    /// True or false.
    Mask, bool, Mask as i8; |x| i8::from(x), |x| x == 1
);
content!(
    /// True, false, or ignored.
    PartialMask, Verdict, Mask as i8; |x| x as i8, |x| Verdict::from_code(x)
);
content!(
    /// A node.
    Pointer, usize, Pointer as u32; |x| x as u32, |x| x as usize
);
content!(
    /// A node, the same one at every step.
    Order, usize, Pointer as u32, flag CONSTANT; |x| x as u32, |x| x as usize
);
content!(
    /// A node, such that all of them form one chain.
    Chain, usize, ShouldBePermutation as u32; |x| x as u32, |x| x as usize
);

/// An item of a [`PartialMask`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Ignored by loss and score.
    Ignored = -1,
    /// False.
    No = 0,
    /// True.
    Yes = 1,
}

impl Verdict {
    fn from_code(code: i8) -> Self {
        match code {
            -1 => Self::Ignored,
            0 => Self::No,
            1 => Self::Yes,
            other => panic!("expected -1, 0 or 1, found {other}"),
        }
    }
}

/// An enum whose variants are the classes of a categorical probe. Implemented by
/// [`classes!`](crate::classes).
pub trait Classes: Copy + PartialEq + Debug + Send + Sync + 'static {
    /// The names of the classes, in order.
    const NAMES: &'static [&'static str];
    /// The index of the class, or `!index` if it is ignored.
    fn code(self) -> i8;
    /// Inverse of [`Classes::code`].
    fn from_code(code: i8) -> Self;
}

/// Declares the classes of a categorical probe. Loss and score ignore the class after `ignored`.
///
/// ```
/// use narscope_clrs::NodeClass;
///
/// narscope_clrs::classes!(
///     /// Search state of a node.
///     Color {
///         /// Not discovered.
///         White,
///         /// Discovered.
///         Grey,
///     }
/// );
///
/// let color = NodeClass::filled(4, Color::White);
/// assert_eq!(color[3], Color::White);
/// ```
#[macro_export]
macro_rules! classes {
    ($(#[$doc:meta])* $Name:ident {
        $($(#[$class_doc:meta])* $Class:ident),+ $(,)?
        $(; ignored $(#[$ignored_doc:meta])* $Ignored:ident)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $Name {
            $($(#[$class_doc])* $Class,)+
            $($(#[$ignored_doc])* $Ignored,)?
        }

        impl $crate::content::Classes for $Name {
            const NAMES: &'static [&'static str] =
                &[$(stringify!($Class),)+ $(stringify!($Ignored),)?];
            fn code(self) -> i8 {
                match self {
                    $(Self::$Ignored => !(Self::$Ignored as i8),)?
                    #[allow(unreachable_patterns, reason = "not every list has an ignored class")]
                    class => class as i8,
                }
            }
            fn from_code(code: i8) -> Self {
                let index = if code < 0 { !code } else { code };
                [$(Self::$Class,)+ $(Self::$Ignored,)?][index as usize]
            }
        }
    };
}

/// One of the classes of `C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class<C>(std::marker::PhantomData<C>);

impl<C: Classes> Content for Class<C> {
    type Item = C;
    type Stored = i8;
    const KIND: Kind = Kind::Categorical;
    const CLASSES: &'static [&'static str] = C::NAMES;
    #[inline]
    fn store(class: C) -> i8 {
        class.code()
    }
    #[inline]
    fn load(code: i8) -> C {
        C::from_code(code)
    }
}
