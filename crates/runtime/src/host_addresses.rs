//! Places at addresses, for requests that no lease allows. Many names may lead to one server, and the store
//! counts its addresses for leased pages only: without this count, redirects to many names would reach one
//! server all at once.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gleaner_frontier::DEFAULT_INITIAL_PER_ADDRESS;
use tokio::sync::Notify;

/// Requests in flight by address.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    in_flight: Mutex<HashMap<IpAddr, u32>>,
    /// Notified when a request ends.
    changed: Notify,
}

/// A request in flight to an address; dropping it marks the request as ended.
#[derive(Debug)]
pub(crate) struct AddressPlace {
    addresses: Arc<Addresses>,
    address: IpAddr,
}

impl Addresses {
    /// Waits until a request to this address may start. `of_host` requests may be in flight to its host: one
    /// host alone never waits here.
    pub(crate) async fn place(self: &Arc<Self>, address: IpAddr, of_host: u32) -> AddressPlace {
        let max = DEFAULT_INITIAL_PER_ADDRESS.max(of_host);
        loop {
            let changed = self.changed.notified();
            if self.take(address, max) {
                return AddressPlace { addresses: Arc::clone(self), address };
            }
            changed.await;
        }
    }

    fn take(&self, address: IpAddr, max: u32) -> bool {
        let mut in_flight = self.lock();
        let count = in_flight.entry(address).or_default();
        let is_free = *count < max;
        *count += u32::from(is_free);
        is_free
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, u32>> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AddressPlace {
    fn drop(&mut self) {
        let mut in_flight = self.addresses.lock();
        if let Some(count) = in_flight.get_mut(&self.address) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                in_flight.remove(&self.address);
            }
        }
        drop(in_flight);
        self.addresses.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn requests_to_one_address_are_bounded() {
        let addresses = Arc::new(Addresses::default());
        let [one, other] = [1, 2].map(|last| IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)));
        let mut places = Vec::new();
        for _ in 0..DEFAULT_INITIAL_PER_ADDRESS {
            places.push(addresses.place(one, 1).now_or_never().unwrap());
        }
        assert!(addresses.place(one, 1).now_or_never().is_none());
        assert!(addresses.place(other, 1).now_or_never().is_some());
        assert!(addresses.place(one, DEFAULT_INITIAL_PER_ADDRESS + 1).now_or_never().is_some());
        let waiting = addresses.place(one, 1);
        let ending = async {
            tokio::task::yield_now().await;
            places.pop();
        };
        let (place, ()) = tokio::join!(waiting, ending);
        places.clear();
        drop(place);
        assert!(addresses.lock().is_empty());
    }
}
