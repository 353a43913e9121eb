use loci_messages::ErrorKind;

use super::Key;

pub fn text(key: Key) -> &'static str {
    match key {
        Key::Product => "Loci",
        Key::OpeningMemory => "Opening your memory…",
        Key::TryAgain => "Try again",
        Key::Cancel => "Cancel",
        Key::Close => "Close",
        Key::Copy => "Copy",
        Key::Copied => "Copied",
        Key::Loading => "Loading…",
        Key::NavLabel => "Screens",
        Key::NavMemories => "Memories",
        Key::NavGraph => "Graph",
        Key::NavSettings => "Settings",
        Key::Details => "Details",
        Key::PageHeading => "This page",
        Key::PageUnknown => "Not remembered yet.",
        Key::PageNoAddress => {
            "To remember the page in this tab, click the Loci button in the browser’s toolbar."
        }
        Key::PageChecking => "Looking it up…",
        Key::PageCapturing => "Taking it in…",
        Key::PageWaiting => "Searchable now. {n} {n:passage waits|passages wait} to be read closely.",
        Key::PageReading => "Searchable now. Reading closely: {done} of {total}.",
        Key::PageRemembered => {
            "Remembered: {passages} {passages:passage|passages}, {facts} {facts:fact|facts}."
        }
        Key::PageRememberedWhen => "Captured {when}.",
        Key::PageCannot => "Cannot be remembered.",
        Key::PagePrivateSite => "Loci sees a page only when you hand it over.",
        Key::Remember => "Remember this page",
        Key::RememberAgain => "Capture again",
        Key::RememberHint => "Click the Loci button in the toolbar, or press its shortcut.",
        Key::RememberNeedsClick => {
            "The browser lets Loci read a page only after a click on its toolbar button. Click it once on this page."
        }
        Key::ShowMemory => "What is remembered",
        Key::AskLabel => "Ask your memory",
        Key::AskPlaceholder => "Ask about what you have read",
        Key::AskHint => "Enter to ask, Shift+Enter for a new line",
        Key::AskSend => "Ask",
        Key::AskStop => "Stop",
        Key::AskAgain => "Ask again",
        Key::AskNew => "Clear",
        Key::AskEdit => "Edit",
        Key::ConversationLabel => "Questions and answers",
        Key::AnswerSearching => "Searching your memory…",
        Key::AnswerReading => "Reading {n} {n:passage|passages}…",
        Key::AnswerStopped => "Stopped.",
        Key::AnswerDone => "Answer complete.",
        Key::AnswerNotInMemory => "This is not in your memory.",
        Key::AnswerNearest => "The nearest passages",
        Key::AnswerNothingNear => "Nothing you have remembered comes near it.",
        Key::AnswerLexicalOnly => {
            "The companion is not running, so no answer can be written. These passages match your words."
        }
        Key::AnswerLexicalNone => "The companion is not running, and no passage matches your words.",
        Key::AnswerFigures => "{seconds} s, {tokens} {tokens:token|tokens}",
        Key::SourcesHeading => "Sources",
        Key::SourcesAlso => "{n} more {n:passage was|passages were} read",
        Key::SourceOpen => "Open at the passage",
        Key::SourceCaptured => "as captured {when}",
        Key::CitationLabel => "Source {n}: {title}",
        Key::CompanionAwayShort => {
            "The companion is not running. Searching by words works; answers wait for it."
        }
        Key::CompanionUnpairedShort => "The companion is running but not paired with this browser.",
        Key::CompanionImpostorShort => {
            "Something else answers in the companion’s place. Nothing was sent to it."
        }
        Key::CompanionVersionShort => "The companion is of another version ({version}).",
        Key::CompanionLoadingShort => "The companion is loading {name}.",
        Key::CompanionModelFailedShort => "A model of the companion did not load: {name}.",
        Key::CompanionNoModelShort => {
            "The companion has no language model. Passages are found; answers are not written."
        }
        Key::CompanionWhatToDo => "What to do",
        Key::CompanionPairNow => "Pair now",
        Key::RecentHeading => "Recently remembered",
        Key::RecentAll => "All memories",
        Key::FirstHeading => "A memory for what you read",
        Key::FirstStep1 => "Open a page worth keeping.",
        Key::FirstStep2 => "Click the Loci button in the toolbar.",
        Key::FirstStep3 => "Ask here. Answers cite the passages they rest on.",
        Key::FirstPrivacy => "Everything stays in this browser and on this computer.",
        Key::MemoriesHeading => "Memories",
        Key::MemoriesSearch => "Search memories",
        Key::MemoriesCount => "{n} {n:page|pages}",
        Key::MemoriesNone => "Nothing is remembered yet.",
        Key::MemoriesNoneHint => "Open a page and click the Loci button in the toolbar.",
        Key::MemoriesNoMatch => "No memory matches “{query}”.",
        Key::MemoriesMore => "Show more",
        Key::MemoriesChoose => "Choose a page to see what is remembered of it.",
        Key::StatusUnknown => "not remembered",
        Key::StatusCapturing => "taking in",
        Key::StatusWaiting => "waiting",
        Key::StatusReading => "reading",
        Key::StatusRemembered => "remembered",
        Key::DetailBack => "All memories",
        Key::DetailOpen => "Open the page",
        Key::DetailCaptured => "Captured",
        Key::DetailPublished => "Published",
        Key::DetailAuthor => "Author",
        Key::DetailVersion => "Version",
        Key::DetailLanguage => "Language",
        Key::DetailState => "State",
        Key::DetailPassages => "Passages",
        Key::DetailFacts => "Facts",
        Key::DetailNoFacts => "No facts yet. They come as the companion reads the page closely.",
        Key::DetailErase => "Erase…",
        Key::FactRetired => "outdated",
        Key::FactOriginStructure => "declared by the page",
        Key::FactOriginLlm => "read from the text",
        Key::FactOriginUser => "noted by you",
        Key::FactSources => "{n} {n:source|sources}",
        Key::EraseHeading => "Erase this page from memory?",
        Key::EraseCounting => "Counting what would go…",
        Key::ErasePreview => {
            "This takes {passages} {passages:passage|passages}, {facts} {facts:fact|facts} and {objects} {objects:thing|things} that no other page mentions. What other pages also say stays."
        }
        Key::EraseForever => "It cannot be undone.",
        Key::EraseDo => "Erase",
        Key::Erasing => "Erasing…",
        Key::Erased => "Erased.",
        Key::GraphHeading => "Graph",
        Key::GraphMap => "Map",
        Key::GraphList => "List",
        Key::GraphViewLabel => "View",
        Key::GraphSearch => "Find in the graph",
        Key::GraphShown => "{shown} of {total} shown",
        Key::GraphZoomIn => "Zoom in",
        Key::GraphZoomOut => "Zoom out",
        Key::GraphFit => "Show everything",
        Key::GraphLegend => "Kinds",
        Key::GraphCanvas => "Map of your memory",
        Key::GraphCanvasHelp => {
            "Arrow keys move the map, plus and minus zoom, 0 shows everything, N and P step through the things, Enter opens one. The list view holds the same."
        }
        Key::GraphEmpty => "The graph grows as pages are remembered.",
        Key::GraphCenter => "Show surroundings",
        Key::GraphWhole => "Whole graph",
        Key::GraphNoMatch => "Nothing in view has that name.",
        Key::GraphName => "Name",
        Key::GraphKind => "Kind",
        Key::GraphLinks => "Links",
        Key::VertexAliases => "Also called",
        Key::VertexFacts => "Facts",
        Key::VertexSources => "Sources",
        Key::VertexNoFacts => "No facts about it yet.",
        Key::KindPerson => "Person",
        Key::KindOrganisation => "Organisation",
        Key::KindPlace => "Place",
        Key::KindWork => "Work",
        Key::KindProduct => "Product",
        Key::KindEvent => "Event",
        Key::KindConcept => "Concept",
        Key::KindValue => "Value",
        Key::KindThesis => "Thesis",
        Key::KindPage => "Page",
        Key::KindEpisode => "Passage",
        Key::KindUnknown => "Other",
        Key::SettingsHeading => "Settings",
        Key::CompanionHeading => "Companion",
        Key::CompanionIntro => {
            "A program on this computer that reads closely and writes answers. It keeps nothing of your pages."
        }
        Key::CompanionChecking => "Looking for the companion…",
        Key::CompanionAway => "Not running",
        Key::CompanionAwayHelp => "Start it in a terminal with the command below. Loci finds it by itself.",
        Key::CompanionUnpaired => "Running, not paired",
        Key::CompanionUnpairedHelp => {
            "Show a code with the command below, then type the six digits here. A code holds for two minutes."
        }
        Key::CompanionImpostor => "Something else is on its port",
        Key::CompanionImpostorHelp => {
            "A program on port {port} could not prove that it is your companion. Nothing was sent to it. Stop that program, or forget the pairing and pair anew if you reinstalled the companion."
        }
        Key::CompanionOtherVersion => "Another version ({version})",
        Key::CompanionOtherVersionHelp => {
            "Extension and companion must be of the same version. Update the older one, then start the companion again."
        }
        Key::CompanionReady => "Ready",
        Key::CompanionVersion => "Version",
        Key::CompanionPort => "Port",
        Key::CompanionDevice => "Device",
        Key::CompanionEmbedder => "Search model",
        Key::CompanionLlm => "Language model",
        Key::CompanionWaiting => "Waiting",
        Key::CompanionWaitingPassages => "{n} {n:passage|passages}",
        Key::CompanionForget => "Forget this pairing",
        Key::CompanionForgetSure => "Forget this pairing? Reading and answers stop until you pair again.",
        Key::CommandLabel => "Command to type in a terminal",
        Key::ModelLoading => "{name}, loading",
        Key::ModelFailed => "{name} did not load",
        Key::ModelAbsent => "none",
        Key::PairLabel => "Six-digit code",
        Key::PairDo => "Pair",
        Key::Pairing => "Pairing…",
        Key::PairTooShort => "The code has six digits.",
        Key::ReadingHeading => "Reading",
        Key::ReadingPause => "Pause close reading",
        Key::ReadingPauseHelp => {
            "New pages stay searchable by their words. What waits is kept and goes on later."
        }
        Key::AppearanceHeading => "Appearance",
        Key::ThemeSystem => "As the system",
        Key::ThemeLight => "Light",
        Key::ThemeDark => "Dark",
        Key::StorageHeading => "Storage",
        Key::StorageUsed => "{used} of {quota} used",
        Key::DiagnosticsHeading => "Diagnostics",
        Key::DiagnosticsHelp => "Counts only; no text of any page.",
        Key::CountPages => "Pages",
        Key::CountPassages => "Passages",
        Key::CountObjects => "Things",
        Key::CountTheses => "Theses",
        Key::CountTriples => "Triples",
        Key::CountQueued => "Waiting to be read",
        Key::CountUngrounded => "Dropped, not in the text",
        Key::CountTruncated => "Cut short",
        Key::CountSchema => "Schema",
        Key::EraseAllHeading => "Erase everything",
        Key::EraseAllHelp => {
            "Erases every page, passage and fact from this browser. Pairing and appearance stay."
        }
        Key::EraseAllDo => "Erase everything…",
        Key::EraseAllSure => "Erase the whole memory?",
        Key::EraseAllCounts => {
            "This takes {pages} {pages:page|pages}, {passages} {passages:passage|passages} and everything known from them."
        }
        Key::EraseAllTick => "I understand that this cannot be undone.",
        Key::Saved => "Saved.",
    }
}

/// What happened, and what to do.
pub fn help(kind: ErrorKind) -> (&'static str, &'static str) {
    match kind {
        ErrorKind::EmptyPage => (
            "This page has no text to remember.",
            "If its text appears only after scrolling or signing in, do that first and capture it again.",
        ),
        ErrorKind::TooLarge => {
            ("This page is too large.", "Capture a page that holds less, for example one chapter of it.")
        }
        ErrorKind::NotAPage => (
            "This tab shows a file, not a web page.",
            "Images and PDF files cannot be remembered yet. Capture a page that describes the file.",
        ),
        ErrorKind::BrowserPage => (
            "Pages of the browser itself cannot be read by any extension.",
            "Open a web page and capture that.",
        ),
        ErrorKind::PrivateWindow => (
            "Nothing is remembered from private windows.",
            "Open the page in an ordinary window if you want to keep it.",
        ),
        ErrorKind::StorageFull => (
            "There is no room left to store this.",
            "Free disk space, or erase memories you no longer need, then capture the page again.",
        ),
        ErrorKind::StorageBroken => (
            "The browser’s storage cannot be opened.",
            "Restart the browser. If this stays, check that the disk is not full and that the profile folder can be written to.",
        ),
        ErrorKind::SecondWriter => (
            "The memory is in use by another instance.",
            "Close other windows of Loci or restart the browser, then try again.",
        ),
        ErrorKind::CoreLost => (
            "The memory stopped while working on this.",
            "It starts again by itself. Nothing stored was touched; try again.",
        ),
        ErrorKind::CompanionAway => (
            "The companion is not running.",
            "Start it with “loci serve”. Until then you can search by words.",
        ),
        ErrorKind::CompanionUnpaired => (
            "This browser is not paired with the companion.",
            "Run “loci pair” and type the six digits in the settings.",
        ),
        ErrorKind::CompanionImpostor => (
            "A program on the companion’s port cannot prove what it is.",
            "Nothing was sent to it. Stop that program and start the companion again.",
        ),
        ErrorKind::CompanionOtherVersion => (
            "The companion is of another version.",
            "Update the extension or the companion, whichever is older, then start the companion again.",
        ),
        ErrorKind::CompanionBusy => {
            ("The companion is busy.", "Wait a moment and try again; what waits is not lost.")
        }
        ErrorKind::WrongCode => (
            "That code is not right.",
            "Check the six digits in the terminal. After five wrong tries, run “loci pair” for a new code.",
        ),
        ErrorKind::PairingClosed => (
            "The companion is not waiting to be paired.",
            "Run “loci pair” in a terminal and type the new code within two minutes.",
        ),
        ErrorKind::ModelMissing => (
            "The companion has no model for this.",
            "Run “loci models” to see what is there and how to get what is missing.",
        ),
        ErrorKind::ModelDamaged => (
            "A model file is damaged.",
            "Delete the file that “loci models” names and start the companion again; it is fetched anew.",
        ),
        ErrorKind::ModelFailed => (
            "The model failed on this.",
            "Try again. If it fails each time, start the companion again or choose a smaller model.",
        ),
        ErrorKind::NotFound => {
            ("This is no longer in your memory.", "It may have been erased in another window.")
        }
        ErrorKind::BadRequest => (
            "The memory did not understand the request.",
            "Reload this page. If this stays, extension and core are of different versions: restart the browser.",
        ),
        ErrorKind::Internal => (
            "A fault in Loci.",
            "Nothing stored was touched. Try again; the details below help to report it.",
        ),
    }
}
