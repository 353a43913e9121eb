use loci_messages::ErrorKind;

use super::Key;

pub fn text(key: Key) -> &'static str {
    match key {
        Key::Product => "Loci",
        Key::OpeningMemory => "正在打开记忆…",
        Key::TryAgain => "重试",
        Key::Cancel => "取消",
        Key::Close => "关闭",
        Key::Copy => "复制",
        Key::Copied => "已复制",
        Key::Loading => "加载中…",
        Key::NavLabel => "页面",
        Key::NavMemories => "记忆",
        Key::NavGraph => "图谱",
        Key::NavSettings => "设置",
        Key::Details => "详情",
        Key::PageHeading => "当前网页",
        Key::PageUnknown => "尚未记住。",
        Key::PageNoAddress => "要记住此标签页中的网页，请点击浏览器工具栏上的 Loci 按钮。",
        Key::PageChecking => "正在查找…",
        Key::PageCapturing => "正在读取…",
        Key::PageWaiting => "已可搜索。还有 {n} 个段落等待细读。",
        Key::PageReading => "已可搜索。正在细读：第 {done} 段，共 {total} 段。",
        Key::PageRemembered => "已记住：{passages} 个段落，{facts} 条事实。",
        Key::PageRememberedWhen => "记录于{when}。",
        Key::PageCannot => "无法记住。",
        Key::PagePrivateSite => "只有您主动交给 Loci 的网页，它才看得到。",
        Key::Remember => "记住此网页",
        Key::RememberAgain => "重新记录",
        Key::RememberHint => "请点击工具栏上的 Loci 按钮，或按快捷键。",
        Key::RememberNeedsClick => "浏览器只允许 Loci 在您点击其工具栏按钮后读取网页。请在此网页上点击一次。",
        Key::ShowMemory => "查看所记内容",
        Key::AskLabel => "向记忆提问",
        Key::AskPlaceholder => "就您读过的内容提问",
        Key::AskHint => "Enter 提问，Shift+Enter 换行",
        Key::AskSend => "提问",
        Key::AskStop => "停止",
        Key::AskAgain => "再问一次",
        Key::AskNew => "清空",
        Key::AskEdit => "编辑",
        Key::ConversationLabel => "问答",
        Key::AnswerSearching => "正在搜索记忆…",
        Key::AnswerReading => "正在阅读 {n} 个段落…",
        Key::AnswerStopped => "已停止。",
        Key::AnswerDone => "回答完毕。",
        Key::AnswerNotInMemory => "您的记忆中没有这项内容。",
        Key::AnswerNearest => "最接近的段落",
        Key::AnswerNothingNear => "您记住的内容里没有与之相近的。",
        Key::AnswerLexicalOnly => "伴侣程序未运行，无法写出回答。以下段落与您的用词相符。",
        Key::AnswerLexicalNone => "伴侣程序未运行，也没有段落与您的用词相符。",
        Key::AnswerFigures => "{seconds} 秒，{tokens} 个词元",
        Key::SourcesHeading => "来源",
        Key::SourcesAlso => "还读了另外 {n} 个段落",
        Key::SourceOpen => "在原网页中打开此段",
        Key::SourceCaptured => "记录于{when}",
        Key::CitationLabel => "来源 {n}：{title}",
        Key::CompanionAwayShort => "伴侣程序未运行。可按词搜索，回答需等它启动。",
        Key::CompanionUnpairedShort => "伴侣程序正在运行，但尚未与此浏览器配对。",
        Key::CompanionImpostorShort => "有别的程序冒充伴侣程序应答。没有向它发送任何内容。",
        Key::CompanionVersionShort => "伴侣程序版本不符（{version}）。",
        Key::CompanionLoadingShort => "伴侣程序正在加载 {name}。",
        Key::CompanionModelFailedShort => "伴侣程序的模型未能加载：{name}。",
        Key::CompanionNoModelShort => "伴侣程序没有语言模型。可以查找段落，但不能写出回答。",
        Key::CompanionWhatToDo => "如何处理",
        Key::CompanionPairNow => "立即配对",
        Key::RecentHeading => "最近记住",
        Key::RecentAll => "全部记忆",
        Key::FirstHeading => "为您所读之物而设的记忆",
        Key::FirstStep1 => "打开一个值得保存的网页。",
        Key::FirstStep2 => "点击工具栏上的 Loci 按钮。",
        Key::FirstStep3 => "在此提问。回答会注明所依据的段落。",
        Key::FirstPrivacy => "一切都只留在此浏览器和这台电脑上。",
        Key::MemoriesHeading => "记忆",
        Key::MemoriesSearch => "搜索记忆",
        Key::MemoriesCount => "{n} 个网页",
        Key::MemoriesNone => "还没有记住任何内容。",
        Key::MemoriesNoneHint => "打开网页，点击工具栏上的 Loci 按钮。",
        Key::MemoriesNoMatch => "没有与“{query}”相符的记忆。",
        Key::MemoriesMore => "显示更多",
        Key::MemoriesChoose => "选择一个网页，查看所记的内容。",
        Key::StatusUnknown => "未记住",
        Key::StatusCapturing => "读取中",
        Key::StatusWaiting => "等待细读",
        Key::StatusReading => "细读中",
        Key::StatusRemembered => "已记住",
        Key::DetailBack => "全部记忆",
        Key::DetailOpen => "打开网页",
        Key::DetailCaptured => "记录时间",
        Key::DetailPublished => "发布时间",
        Key::DetailAuthor => "作者",
        Key::DetailVersion => "版本",
        Key::DetailLanguage => "语言",
        Key::DetailState => "状态",
        Key::DetailPassages => "段落",
        Key::DetailFacts => "事实",
        Key::DetailNoFacts => "暂无事实。伴侣程序细读网页后会逐渐出现。",
        Key::DetailErase => "清除…",
        Key::FactRetired => "已过时",
        Key::FactOriginStructure => "网页自述",
        Key::FactOriginLlm => "读自正文",
        Key::FactOriginUser => "由您记录",
        Key::FactSources => "{n} 个来源",
        Key::EraseHeading => "从记忆中清除此网页？",
        Key::EraseCounting => "正在统计将被清除的内容…",
        Key::ErasePreview => {
            "将清除 {passages} 个段落、{facts} 条事实，以及其他网页都未提及的 {objects} 个对象。其他网页也提到的内容会保留。"
        }
        Key::EraseForever => "此操作无法撤销。",
        Key::EraseDo => "清除",
        Key::Erasing => "正在清除…",
        Key::Erased => "已清除。",
        Key::GraphHeading => "图谱",
        Key::GraphMap => "地图",
        Key::GraphList => "列表",
        Key::GraphViewLabel => "视图",
        Key::GraphSearch => "在图谱中查找",
        Key::GraphShown => "显示 {shown} / {total}",
        Key::GraphZoomIn => "放大",
        Key::GraphZoomOut => "缩小",
        Key::GraphFit => "显示全部",
        Key::GraphLegend => "类型",
        Key::GraphCanvas => "记忆地图",
        Key::GraphCanvasHelp => {
            "方向键移动地图，加号和减号缩放，0 显示全部，N 和 P 逐个切换对象，Enter 打开。列表视图内容相同。"
        }
        Key::GraphEmpty => "记住网页后，图谱会逐渐生长。",
        Key::GraphCenter => "显示周边",
        Key::GraphWhole => "整个图谱",
        Key::GraphNoMatch => "当前视图中没有这个名称。",
        Key::GraphName => "名称",
        Key::GraphKind => "类型",
        Key::GraphLinks => "连接",
        Key::VertexAliases => "又称",
        Key::VertexFacts => "事实",
        Key::VertexSources => "来源",
        Key::VertexNoFacts => "暂无相关事实。",
        Key::KindPerson => "人物",
        Key::KindOrganisation => "组织",
        Key::KindPlace => "地点",
        Key::KindWork => "作品",
        Key::KindProduct => "产品",
        Key::KindEvent => "事件",
        Key::KindConcept => "概念",
        Key::KindValue => "数值",
        Key::KindThesis => "论断",
        Key::KindPage => "网页",
        Key::KindEpisode => "段落",
        Key::KindUnknown => "其他",
        Key::SettingsHeading => "设置",
        Key::CompanionHeading => "伴侣程序",
        Key::CompanionIntro => "在这台电脑上运行的程序，负责细读网页和撰写回答。它不保存您的任何网页内容。",
        Key::CompanionChecking => "正在寻找伴侣程序…",
        Key::CompanionAway => "未运行",
        Key::CompanionAwayHelp => "在终端中用以下命令启动它，Loci 会自动找到。",
        Key::CompanionUnpaired => "正在运行，尚未配对",
        Key::CompanionUnpairedHelp => "用以下命令显示配对码，然后在此输入六位数字。配对码两分钟内有效。",
        Key::CompanionImpostor => "端口被其他程序占用",
        Key::CompanionImpostorHelp => {
            "端口 {port} 上的程序无法证明自己是您的伴侣程序。没有向它发送任何内容。请停止该程序；如果您重装过伴侣程序，请解除配对后重新配对。"
        }
        Key::CompanionOtherVersion => "版本不符（{version}）",
        Key::CompanionOtherVersionHelp => {
            "扩展与伴侣程序的版本必须一致。请更新较旧的一方，然后重新启动伴侣程序。"
        }
        Key::CompanionReady => "已就绪",
        Key::CompanionVersion => "版本",
        Key::CompanionPort => "端口",
        Key::CompanionDevice => "设备",
        Key::CompanionEmbedder => "检索模型",
        Key::CompanionLlm => "语言模型",
        Key::CompanionWaiting => "等待中",
        Key::CompanionWaitingPassages => "{n} 个段落",
        Key::CompanionForget => "解除配对",
        Key::CompanionForgetSure => "解除配对？在重新配对之前，细读和回答都会停止。",
        Key::CommandLabel => "在终端中输入的命令",
        Key::ModelLoading => "{name}，加载中",
        Key::ModelFailed => "{name} 未能加载",
        Key::ModelAbsent => "无",
        Key::PairLabel => "六位配对码",
        Key::PairDo => "配对",
        Key::Pairing => "正在配对…",
        Key::PairTooShort => "配对码为六位数字。",
        Key::ReadingHeading => "细读",
        Key::ReadingPause => "暂停细读",
        Key::ReadingPauseHelp => "新网页仍可按词搜索。等待的内容会保留，之后继续。",
        Key::AppearanceHeading => "外观",
        Key::ThemeSystem => "跟随系统",
        Key::ThemeLight => "浅色",
        Key::ThemeDark => "深色",
        Key::StorageHeading => "存储",
        Key::StorageUsed => "已用 {used}，共 {quota}",
        Key::DiagnosticsHeading => "诊断",
        Key::DiagnosticsHelp => "仅为计数，不含任何网页文字。",
        Key::CountPages => "网页",
        Key::CountPassages => "段落",
        Key::CountObjects => "对象",
        Key::CountTheses => "论断",
        Key::CountTriples => "三元组",
        Key::CountQueued => "等待细读",
        Key::CountUngrounded => "已丢弃（原文没有）",
        Key::CountTruncated => "被截断",
        Key::CountSchema => "存储版本",
        Key::EraseAllHeading => "清除全部",
        Key::EraseAllHelp => "从此浏览器中清除所有网页、段落和事实。配对和外观设置保留。",
        Key::EraseAllDo => "清除全部…",
        Key::EraseAllSure => "清除整个记忆？",
        Key::EraseAllCounts => "将清除 {pages} 个网页、{passages} 个段落，以及由此得知的一切。",
        Key::EraseAllTick => "我明白此操作无法撤销。",
        Key::Saved => "已保存。",
    }
}

/// What happened, and what to do.
pub fn help(kind: ErrorKind) -> (&'static str, &'static str) {
    match kind {
        ErrorKind::EmptyPage => {
            ("此网页没有可记的文字。", "如果文字要滚动或登录后才出现，请先这样做，再重新记录。")
        }
        ErrorKind::TooLarge => ("此网页太大。", "请记录内容较少的网页，例如其中一章。"),
        ErrorKind::NotAPage => {
            ("此标签页显示的是文件，不是网页。", "图片和 PDF 暂时无法记住。请记录介绍该文件的网页。")
        }
        ErrorKind::BrowserPage => ("浏览器自身的页面不允许任何扩展读取。", "请打开一个网页再记录。"),
        ErrorKind::PrivateWindow => {
            ("不会记住无痕窗口中的任何内容。", "如果想保留此网页，请在普通窗口中打开。")
        }
        ErrorKind::StorageFull => {
            ("没有空间存储此内容。", "请腾出磁盘空间，或清除不再需要的记忆，然后重新记录。")
        }
        ErrorKind::StorageBroken => {
            ("无法打开浏览器的存储。", "请重启浏览器。如果问题依旧，请检查磁盘是否已满、配置文件夹是否可写。")
        }
        ErrorKind::SecondWriter => {
            ("记忆正被另一个实例使用。", "请关闭其他 Loci 窗口或重启浏览器，然后重试。")
        }
        ErrorKind::CoreLost => ("记忆在处理时中断了。", "它会自动重新启动，已存内容未受影响，请重试。"),
        ErrorKind::CompanionAway => ("伴侣程序未运行。", "请用“loci serve”启动它。在此之前可以按词搜索。"),
        ErrorKind::CompanionUnpaired => {
            ("此浏览器尚未与伴侣程序配对。", "请运行“loci pair”，并在设置中输入六位数字。")
        }
        ErrorKind::CompanionImpostor => {
            ("伴侣程序端口上的程序无法证明身份。", "没有向它发送任何内容。请停止该程序，再启动伴侣程序。")
        }
        ErrorKind::CompanionOtherVersion => {
            ("伴侣程序版本不符。", "请更新扩展或伴侣程序中较旧的一方，再启动伴侣程序。")
        }
        ErrorKind::CompanionBusy => ("伴侣程序正忙。", "请稍候再试，等待中的内容不会丢失。"),
        ErrorKind::WrongCode => {
            ("配对码不正确。", "请核对终端中的六位数字。五次错误后，请运行“loci pair”获取新码。")
        }
        ErrorKind::PairingClosed => {
            ("伴侣程序没有在等待配对。", "请在终端运行“loci pair”，并在两分钟内输入新码。")
        }
        ErrorKind::ModelMissing => {
            ("伴侣程序缺少所需的模型。", "运行“loci models”查看已有模型以及如何获取所缺模型。")
        }
        ErrorKind::ModelDamaged => {
            ("模型文件已损坏。", "请删除“loci models”指出的文件并重启伴侣程序，它会重新获取。")
        }
        ErrorKind::ModelFailed => {
            ("模型处理失败。", "请重试。如果每次都失败，请重启伴侣程序或选用较小的模型。")
        }
        ErrorKind::NotFound => ("此内容已不在记忆中。", "可能已在另一个窗口中清除。"),
        ErrorKind::BadRequest => (
            "记忆无法理解此请求。",
            "请重新加载此页面。如果问题依旧，说明扩展各部分版本不一致，请重启浏览器。",
        ),
        ErrorKind::Internal => ("Loci 出现故障。", "已存内容未受影响。请重试；下面的详情有助于报告问题。"),
    }
}
