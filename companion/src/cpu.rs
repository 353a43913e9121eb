/// What this processor lacks of what the program was compiled for, as one sentence; `None` when it has everything.
///
/// The standard detection macro answers at compile time for features the whole program is built with, so the processor
/// itself is asked.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub fn missing() -> Option<String> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};

    // Intel SDM volume 2A, CPUID: leaf 1 ECX bits 12 (FMA), 27 (OSXSAVE), 28 (AVX); leaf 7 EBX bits 3 (BMI1), 5 (AVX2),
    // 8 (BMI2).
    let basic = __cpuid(1).ecx;
    let extended = if __cpuid(0).eax >= 7 { __cpuid_count(7, 0).ebx } else { 0 };
    let has = |register: u32, bit: u32| register & (1 << bit) != 0;
    let lacks: Vec<&str> = [
        ("AVX2", has(basic, 27) && has(basic, 28) && has(extended, 5)),
        ("FMA", has(basic, 12)),
        ("BMI1", has(extended, 3)),
        ("BMI2", has(extended, 8)),
    ]
    .into_iter()
    .filter_map(|(name, there)| (!there).then_some(name))
    .collect();
    (!lacks.is_empty()).then(|| {
        format!(
            "this processor has no {}, which this build of loci needs. Build it from source without \
             `-C target-cpu=x86-64-v3` (see .cargo/config.toml), or let a model server do the work on another machine",
            lacks.join(", ")
        )
    })
}

/// What this processor lacks of what the program was compiled for, as one sentence; `None` when it has everything.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub fn missing() -> Option<String> {
    None
}
