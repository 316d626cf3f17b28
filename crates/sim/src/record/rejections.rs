//! The requests that were not placed. On too few machines that is most of a trace, so each takes 16 bytes.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tiebreak_model::{RequestId, Time, VmId};

use super::{Rejected, Rejection};

/// How many successive requests share a list.
const LIST_REQUESTS: u32 = 64;

/// No VM was refused: the request ran out of retries.
const NO_VM: u32 = u32::MAX;

/// Rejected requests by id.
#[derive(Default)]
pub(super) struct Rejections {
    lists: BTreeMap<u32, Vec<Entry>>,
}

/// A rejected request.
struct Entry {
    at: Time,
    refused: u32,
    had_room: bool,
    /// Its position among the requests that share its list.
    nth: u8,
}

impl Rejections {
    /// Adds a request, which has not been rejected before.
    pub(super) fn add(&mut self, request: RequestId, Rejected { at, why, had_room }: Rejected) {
        let refused = match why {
            Rejection::Refused(vm) => vm.0,
            Rejection::OutOfRetries => NO_VM,
        };
        let (list, nth) = place(request);
        self.lists.entry(list).or_default().push(Entry { at, refused, had_room, nth });
    }

    /// How a request was rejected.
    pub(super) fn of(&self, request: RequestId) -> Option<Rejected> {
        let (list, nth) = place(request);
        let &Entry { at, refused, had_room, .. } = self.lists.get(&list)?.iter().find(|entry| entry.nth == nth)?;
        let why = if refused == NO_VM { Rejection::OutOfRetries } else { Rejection::Refused(VmId(refused)) };
        Some(Rejected { at, why, had_room })
    }
}

/// The list of a request, and its position there.
fn place(request: RequestId) -> (u32, u8) {
    (request.0 / LIST_REQUESTS, (request.0 % LIST_REQUESTS) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_found_by_its_request_in_whatever_order_they_come() {
        let of = |request: u32| {
            let why = match request % 3 {
                0 => Rejection::OutOfRetries,
                _ => Rejection::Refused(VmId(request * 7)),
            };
            Rejected { at: Time(i64::from(request) << 33), why, had_room: request.is_multiple_of(2) }
        };
        let is_rejected = |request: &u32| request.count_ones().is_multiple_of(2);
        let mut rejections = Rejections::default();
        (0..300).rev().filter(is_rejected).for_each(|request| rejections.add(RequestId(request), of(request)));
        for request in 0..400 {
            let expected = (request < 300 && is_rejected(&request)).then(|| of(request));
            assert_eq!(rejections.of(RequestId(request)), expected, "request {request}");
        }
        assert_eq!(size_of::<Entry>(), 16);
    }
}
