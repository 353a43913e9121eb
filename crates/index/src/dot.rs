//! Inner products of int8 vectors: the inner loop of every dense search.

/// Σ a·b. The slices have the same length, at most 65,536.
pub(crate) fn dot_i8(a: &[i8], b: &[i8]) -> i32 {
    platform::dot_i8(a, b)
}

/// Σ a·b with a query of up to 13 bits, so that only the stored side is rounded to 8 bits. Same length, at most
/// 4,096.
pub(crate) fn dot_i16(query: &[i16], stored: &[i8]) -> i32 {
    platform::dot_i16(query, stored)
}

/// The plain loops; compilers vectorise them with the instructions the target allows.
mod portable {
    #[inline(always)]
    pub fn dot_i8(a: &[i8], b: &[i8]) -> i32 {
        a.iter().zip(b).map(|(&x, &y)| i32::from(i16::from(x) * i16::from(y))).sum()
    }

    #[inline(always)]
    pub fn dot_i16(query: &[i16], stored: &[i8]) -> i32 {
        query.iter().zip(stored).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum()
    }
}

#[cfg(target_arch = "x86_64")]
mod platform {
    use super::portable;

    #[target_feature(enable = "avx2")]
    fn dot_i8_avx2(a: &[i8], b: &[i8]) -> i32 {
        portable::dot_i8(a, b)
    }

    #[target_feature(enable = "avx2")]
    fn dot_i16_avx2(query: &[i16], stored: &[i8]) -> i32 {
        portable::dot_i16(query, stored)
    }

    #[expect(unsafe_code, reason = "a function compiled for AVX2 is called once AVX2 is known to be there")]
    pub fn dot_i8(a: &[i8], b: &[i8]) -> i32 {
        if std::arch::is_x86_feature_detected!("avx2") {
            unsafe { dot_i8_avx2(a, b) }
        } else {
            portable::dot_i8(a, b)
        }
    }

    #[expect(unsafe_code, reason = "a function compiled for AVX2 is called once AVX2 is known to be there")]
    pub fn dot_i16(query: &[i16], stored: &[i8]) -> i32 {
        if std::arch::is_x86_feature_detected!("avx2") {
            unsafe { dot_i16_avx2(query, stored) }
        } else {
            portable::dot_i16(query, stored)
        }
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod platform {
    use core::arch::wasm32::{
        i16x8_load_extend_i8x8, i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane, i32x4_splat, v128, v128_load,
    };

    fn sum(v: v128) -> i32 {
        i32x4_extract_lane::<0>(v)
            + i32x4_extract_lane::<1>(v)
            + i32x4_extract_lane::<2>(v)
            + i32x4_extract_lane::<3>(v)
    }

    #[expect(unsafe_code, reason = "loads of eight lanes from chunks of exactly eight lanes")]
    pub fn dot_i8(a: &[i8], b: &[i8]) -> i32 {
        let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
        let mut total = i32x4_splat(0);
        for (x, y) in a.iter().zip(b) {
            let (x, y) = unsafe { (i16x8_load_extend_i8x8(x.as_ptr()), i16x8_load_extend_i8x8(y.as_ptr())) };
            total = i32x4_add(total, i32x4_dot_i16x8(x, y));
        }
        sum(total) + super::portable::dot_i8(a_rest, b_rest)
    }

    #[expect(unsafe_code, reason = "loads of eight lanes from chunks of exactly eight lanes")]
    pub fn dot_i16(query: &[i16], stored: &[i8]) -> i32 {
        let ((q, q_rest), (s, s_rest)) = (query.as_chunks::<8>(), stored.as_chunks::<8>());
        let mut total = i32x4_splat(0);
        for (x, y) in q.iter().zip(s) {
            let (x, y) = unsafe { (v128_load(x.as_ptr().cast()), i16x8_load_extend_i8x8(y.as_ptr())) };
            total = i32x4_add(total, i32x4_dot_i16x8(x, y));
        }
        sum(total) + super::portable::dot_i16(q_rest, s_rest)
    }
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
mod platform {
    pub use super::portable::{dot_i8, dot_i16};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_the_plain_sum_at_every_length() {
        for length in [0, 1, 7, 8, 9, 31, 384, 385] {
            let a: Vec<i8> = (0..length).map(|i| ((i * 37) % 255 - 127) as i8).collect();
            let b: Vec<i8> = (0..length).map(|i| ((i * 91) % 255 - 127) as i8).collect();
            let wide: Vec<i16> = a.iter().map(|&x| i16::from(x) * 32).collect();
            let expected: i64 = a.iter().zip(&b).map(|(&x, &y)| i64::from(x) * i64::from(y)).sum();
            assert_eq!(i64::from(dot_i8(&a, &b)), expected);
            assert_eq!(i64::from(dot_i16(&wide, &b)), expected * 32);
        }
    }
}
