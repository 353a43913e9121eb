use loci_graph::{Cause, PageId, Timestamp};
use loci_memorize::{RawPage, clean, memorize_page};
use loci_messages::{CaptureRequest, CaptureResult, ErrorKind, Failure};
use loci_store::{Archive, Durability, Store};

use crate::{
    Engine, Inference,
    engine::Attempt,
    failure::{failure, of_clean},
};

impl<S: Store, I: Inference> Engine<S, I> {
    /// Takes a page in: cleaned, cut into passages, memorized as its structure declares and stored for good when this is done.
    /// What the companion is to read waits.
    pub(crate) async fn capture(&self, request: CaptureRequest) -> Result<CaptureResult, Failure> {
        let url = request.url.clone();
        self.note_attempt(&url, Some(Attempt::UnderWay(self.host.now())));
        // The screens hear of it before the work, which cannot be sliced, begins.
        self.host.sleep(0).await;
        match self.take_in(request).await {
            Ok(result) => {
                self.note_attempt(&url, None);
                self.emit_page(PageId(result.page));
                self.work.call();
                Ok(result)
            }
            Err(failure) => {
                self.note_attempt(&url, Some(Attempt::Failed(failure.clone())));
                Err(failure)
            }
        }
    }

    async fn take_in(&self, request: CaptureRequest) -> Result<CaptureResult, Failure> {
        refuse(&request)?;
        let url = request.url.clone();
        let page = clean(&RawPage {
            url: request.url,
            html: request.html,
            visible_text: request.visible_text,
            title: request.title,
            captured: Timestamp(request.captured as i64),
        });
        let page = page.map_err(|error| of_clean(&error))?;
        self.host.sleep(0).await;
        let report = self
            .commit(
                Durability::Strict,
                |memory| {
                    let known = memory.graph.page_at(&page.url).map(|page| page.id);
                    Cause::Capture(known.unwrap_or(PageId(memory.graph.counters().page)))
                },
                |edit| memorize_page(edit, &page),
                |memory, report, batch| {
                    if let Some(addresses) = memory.with_address(report.page, &url) {
                        Archive::<S>::put_addresses(batch, report.page, &addresses);
                        memory.set_addresses(report.page, addresses);
                    }
                },
            )
            .await?;
        Ok(CaptureResult {
            page: report.page.0,
            state: crate::view::page_state(&self.memory.borrow().graph, Some(report.page)),
            passages: report.episodes.len() as u32,
            new_passages: report.new_episodes.len() as u32,
        })
    }
}

fn refuse(request: &CaptureRequest) -> Result<(), Failure> {
    if request.private_window {
        return Err(failure(
            ErrorKind::PrivateWindow,
            "Pages of private windows are not remembered. Open the page in an ordinary window.",
        ));
    }
    let kind = request.content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let document =
        kind.is_empty() || kind.starts_with("text/") || kind.ends_with("xml") || kind.ends_with("json");
    if !document {
        return Err(failure(
            ErrorKind::NotAPage,
            format!("This tab shows {kind}, not a page. Pages of text can be remembered."),
        ));
    }
    Ok(())
}
