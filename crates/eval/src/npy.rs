//! Float16 matrices in NumPy's `.npy` format, version 1.

use std::path::Path;

use anyhow::{Context, Result, ensure};

pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    values: Vec<u8>,
}

impl Matrix {
    pub fn read(path: &Path) -> Result<Matrix> {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        parse(bytes).with_context(|| format!("{} is not a whole float16 matrix", path.display()))
    }

    pub fn row(&self, row: usize) -> Vec<f32> {
        let (pairs, _) = self.values.as_chunks::<2>();
        let row = &pairs[row * self.columns..(row + 1) * self.columns];
        row.iter().map(|pair| from_half(u16::from_le_bytes(*pair))).collect()
    }
}

fn parse(bytes: Vec<u8>) -> Result<Matrix> {
    ensure!(bytes.len() > 10 && bytes.starts_with(b"\x93NUMPY\x01"), "no header");
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(bytes.get(10..start).context("header cut short")?)?;
    ensure!(header.contains("'<f2'") && header.contains("'fortran_order': False"), "unsupported layout");
    let shape = header.split_once('(').and_then(|(_, rest)| rest.split_once(')')).context("no shape")?.0;
    let sizes: Vec<usize> = shape.split(',').filter_map(|size| size.trim().parse().ok()).collect();
    let [rows, columns] = sizes[..] else { anyhow::bail!("not two-dimensional") };
    ensure!(bytes.len() - start == rows * columns * 2, "values cut short");
    Ok(Matrix { rows, columns, values: bytes[start..].to_vec() })
}

/// IEEE 754 half to single precision.
fn from_half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2_f32.powi(-24),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        let cases =
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (0x0001, 5.960_464_5e-8), (0, 0.0)];
        for (bits, expected) in cases {
            assert_eq!(from_half(bits), expected, "{bits:#x}");
        }
        assert!(from_half(0x7e00).is_nan());
    }

    #[test]
    fn reads_what_numpy_writes_and_refuses_a_part_of_it() {
        let mut bytes = b"\x93NUMPY\x01\x00\x46\x00".to_vec();
        bytes.extend_from_slice(
            format!("{:<69}\n", "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2), }").as_bytes(),
        );
        bytes.extend_from_slice(&[0x00, 0x3c, 0x00, 0xc0]);
        assert_eq!(parse(bytes.clone()).expect("whole").row(0), [1.0, -2.0]);
        for cut in 0..bytes.len() {
            assert!(parse(bytes[..cut].to_vec()).is_err(), "{cut}");
        }
    }
}
