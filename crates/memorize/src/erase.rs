use loci_graph::{Edit, PageId};

/// Removes a page, its passages and everything that no other page supports; facts it had made outdated are believed
/// again.
pub fn erase_page(edit: &mut Edit<'_>, page: PageId) {
    edit.remove_page(page);
}
