use candle_core::Device;

use crate::InferenceError;

/// What computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// The first CUDA GPU when this program was built for one and one is there, else the CPU.
    #[default]
    Auto,
    Cpu,
    /// The GPU of this number.
    Cuda(usize),
}

impl DeviceChoice {
    pub(crate) fn open(self) -> Result<Device, InferenceError> {
        match self {
            DeviceChoice::Cpu => Ok(Device::Cpu),
            DeviceChoice::Auto if !candle_core::utils::cuda_is_available() => Ok(Device::Cpu),
            DeviceChoice::Auto => Ok(Device::new_cuda(0).unwrap_or(Device::Cpu)),
            DeviceChoice::Cuda(number) => Ok(Device::new_cuda(number)?),
        }
    }

    /// E.g. `cpu, 2 threads` or `cuda:0`, as the status shows it.
    pub fn describe(self) -> String {
        match self.open() {
            Ok(device) => describe(&device),
            Err(_) => "none".into(),
        }
    }
}

pub(crate) fn describe(device: &Device) -> String {
    match device {
        Device::Cpu => format!("cpu, {} threads", candle_core::utils::get_num_threads()),
        other => format!("{:?}", other.location()).to_lowercase(),
    }
}

/// How many CPU threads compute; the default is one per physical core, and more than that is slower. Call it first
/// thing in `main`: candle reads the setting from the environment when it first computes.
#[expect(unsafe_code, reason = "the environment is candle's only switch for the number of threads")]
pub fn set_threads(threads: usize) {
    for variable in ["RAYON_NUM_THREADS", "CANDLE_NUM_THREADS"] {
        // SAFETY: the caller has started no other thread yet, so that nothing reads the environment meanwhile.
        unsafe { std::env::set_var(variable, threads.max(1).to_string()) };
    }
}
