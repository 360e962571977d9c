//! The tokio runtime that an engine works in, whoever calls it.
//!
//! Tasks, timers and sockets belong to the tokio runtime in whose context they are made. Without this module
//! that would be the runtime of the caller, and they would end with it. So each operation is polled on the
//! thread of its caller, but in the context of the engine's runtime: [`Entered`]. It needs no task of its
//! own, and dropping it cancels it.

use std::fmt;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle};
use tokio::task::{AbortHandle, JoinHandle};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::clock::Clock;
use crate::error::Error;

/// The name of the threads of an engine.
const THREAD_NAME: &str = "gleaner";

/// What a dropped engine has to clean up, such as reservations and its place in a database, has this long.
const MAX_END: Duration = Duration::from_secs(1);

/// How often a dropped engine is asked whether something is left to do.
const END_STEP: Duration = Duration::from_millis(10);

/// The tokio runtime of an engine: its [own](Self::own), or one [of the embedder](Self::of). Clones are cheap
/// and share it.
#[derive(Debug, Clone)]
pub struct Executor(Arc<Kind>);

enum Kind {
    /// `None` until the first use.
    Own(Mutex<Option<tokio::runtime::Runtime>>),
    Given {
        handle: Handle,
        watch: OnceLock<Watch>,
    },
}

/// A task that is dropped when its tokio runtime ends. It does nothing else.
struct Watch {
    task: AbortHandle,
    ended: CancellationToken,
}

impl Watch {
    fn start(handle: &Handle) -> Self {
        let ended = CancellationToken::new();
        let guard = ended.clone().drop_guard();
        // If the runtime has ended, this drops the guard at once.
        let task = handle.spawn(async move {
            let _guard = guard;
            std::future::pending::<()>().await;
        });
        Self { task: task.abort_handle(), ended }
    }
}

impl Executor {
    /// A tokio runtime of its own, with a thread for each processor. The threads start with the first use.
    /// The runtime ends with the last clone, and with the last task that holds one.
    #[must_use]
    pub fn own() -> Self {
        Self(Arc::new(Kind::Own(Mutex::default())))
    }

    /// The tokio runtime of this handle, which must run as long as anything uses this.
    #[must_use]
    pub fn of(handle: Handle) -> Self {
        Self(Arc::new(Kind::Given { handle, watch: OnceLock::new() }))
    }

    /// Whether its tokio runtime has ended. One of its own does not end before this.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        match &*self.0 {
            Kind::Own(_) => false,
            Kind::Given { watch, .. } => watch.get().is_some_and(|watch| watch.ended.is_cancelled()),
        }
    }

    /// A handle of its tokio runtime.
    ///
    /// # Errors
    /// If the threads of a runtime of its own cannot be started.
    pub fn handle(&self) -> Result<Handle, Error> {
        match &*self.0 {
            Kind::Own(own) => {
                let mut own = own.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(runtime) = own.as_ref() {
                    return Ok(runtime.handle().clone());
                }
                let runtime = start()?;
                let handle = runtime.handle().clone();
                *own = Some(runtime);
                Ok(handle)
            }
            Kind::Given { handle, .. } => Ok(handle.clone()),
        }
    }

    /// A clock that starts now at the system's time. It follows the clock of this tokio runtime, and that of
    /// no caller: a test may pause either.
    #[must_use]
    pub fn clock(&self) -> Clock {
        match &*self.0 {
            Kind::Own(_) => Clock::not_paused(),
            Kind::Given { handle, .. } => {
                let _guard = handle.enter();
                Clock::system()
            }
        }
    }

    /// Starts a task.
    ///
    /// # Errors
    /// As for [`handle`](Self::handle). In a runtime that has ended the task is dropped, which is no error.
    pub fn spawn<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> Result<JoinHandle<T>, Error> {
        Ok(self.handle()?.spawn(task))
    }

    /// Makes a future that runs in this tokio runtime, wherever it is polled.
    ///
    /// # Errors
    /// As for [`handle`](Self::handle).
    pub fn enter<F: Future>(&self, work: F) -> Result<Entered<F>, Error> {
        let handle = self.handle()?;
        let ended = match &*self.0 {
            Kind::Own(_) => None,
            Kind::Given { handle, watch } => {
                let watch = watch.get_or_init(|| Watch::start(handle));
                Some(Box::pin(watch.ended.clone().cancelled_owned()))
            }
        };
        Ok(Entered { work: Some(Box::pin(work)), ended, handle, executor: self.clone() })
    }

    /// Runs an operation in this tokio runtime, wherever it is polled.
    ///
    /// # Errors
    /// Those of the operation; [`Stopped`](crate::ErrorKind::Stopped) if the tokio runtime has ended, and
    /// that of [`handle`](Self::handle).
    pub async fn run<T, E: From<Error>>(
        &self,
        operation: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        match self.enter(operation)?.await {
            Some(result) => result,
            None => Err(Error::runtime_ended().into()),
        }
    }
}

/// Starts the threads of a tokio runtime.
fn start() -> Result<tokio::runtime::Runtime, Error> {
    // Tokio would read the number of threads from the environment.
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(threads).thread_name(THREAD_NAME).enable_all();
    builder.build().map_err(|error| Error::failed(format!("the threads of the engine cannot start: {error}")))
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Own(_) => "Own",
            Self::Given { .. } => "Given",
        })
    }
}

impl Drop for Kind {
    fn drop(&mut self) {
        match self {
            Self::Own(own) => {
                if let Some(runtime) = own.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
                    end(Ending(Some(runtime)));
                }
            }
            Self::Given { watch, .. } => {
                if let Some(watch) = watch.get() {
                    watch.task.abort();
                }
            }
        }
    }
}

/// A tokio runtime that may be dropped anywhere, also within itself or another one, where a plain drop
/// panics.
struct Ending(Option<tokio::runtime::Runtime>);

impl Ending {
    fn has_tasks(&self) -> bool {
        self.0.as_ref().is_some_and(|runtime| runtime.metrics().num_alive_tasks() > 0)
    }

    /// Waits for the tasks that clean up, for a while.
    fn finish(self) {
        let began = Instant::now();
        while self.has_tasks() && began.elapsed() < MAX_END {
            thread::sleep(END_STEP);
        }
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Ends a tokio runtime, and does not wait for that.
fn end(ending: Ending) {
    if !ending.has_tasks() {
        return;
    }
    let thread = thread::Builder::new().name(THREAD_NAME.to_owned());
    if let Err(error) = thread.spawn(move || ending.finish()) {
        tracing::debug!(%error, "an engine ends before its tasks");
    }
}

/// A future that is polled and dropped in the context of an [`Executor`]. It gives `None` if the tokio
/// runtime ends first.
#[must_use = "futures do nothing unless polled"]
pub struct Entered<F> {
    /// `None` once it has ended.
    work: Option<Pin<Box<F>>>,
    /// The end of the tokio runtime; `None` for one that cannot end before this.
    ended: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    handle: Handle,
    /// Keeps a runtime of the engine's own alive.
    executor: Executor,
}

impl<F> Entered<F> {
    fn drop_work(&mut self) {
        if self.work.is_some() {
            // What is dropped may start tasks. A thread that ends has no context any more.
            let ends = Handle::try_current().is_err_and(|error| error.is_thread_local_destroyed());
            let _guard = (!ends).then(|| self.handle.enter());
            self.work = None;
        }
    }
}

impl<F: Future> Future for Entered<F> {
    type Output = Option<F::Output>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if this.ended.as_mut().is_some_and(|ended| ended.as_mut().poll(context).is_ready()) {
            this.drop_work();
        }
        let Some(work) = this.work.as_mut() else { return Poll::Ready(None) };
        let polled = {
            let _guard = this.handle.enter();
            catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)))
        };
        let output = match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(output)) => Some(output),
            // Timers of a runtime that ends panic.
            Err(_) if this.executor.has_ended() => None,
            Err(panic) => resume_unwind(panic),
        };
        this.drop_work();
        Poll::Ready(output)
    }
}

impl<F> Drop for Entered<F> {
    fn drop(&mut self) {
        self.drop_work();
    }
}

impl<F> fmt::Debug for Entered<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entered").field("executor", &self.executor).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Wake, Waker};

    use tokio::sync::oneshot;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);

    /// Wakes the thread that waits.
    struct Unpark(thread::Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    /// Waits for a future without any tokio runtime.
    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let (mut future, mut context) = (pin!(future), Context::from_waker(&waker));
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return output;
            }
            thread::park();
        }
    }

    fn current_thread() -> tokio::runtime::Runtime {
        Builder::new_current_thread().enable_all().build().unwrap()
    }

    /// An operation that never ends by itself.
    async fn hang(started: oneshot::Sender<()>) -> Result<(), Error> {
        started.send(()).unwrap();
        tokio::time::sleep(HOUR).await;
        Ok(())
    }

    #[test]
    fn an_own_runtime_starts_with_its_first_use_and_needs_none_of_the_caller() {
        let executor = Executor::own();
        assert!(matches!(&*executor.0, Kind::Own(own) if own.lock().unwrap().is_none()));
        let name = block_on(executor.run(async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            let task = tokio::spawn(async { thread::current().name().map(str::to_owned) });
            task.await.map_err(|error| Error::failed(error.to_string()))
        }));
        assert_eq!(name.unwrap().as_deref(), Some(THREAD_NAME));
    }

    #[tokio::test]
    async fn an_own_runtime_may_be_dropped_in_async_code_and_within_itself() {
        let executor = Executor::own();
        let task = executor.spawn(async { 1 }).unwrap();
        drop(executor);
        assert_eq!(task.await.unwrap(), 1, "a task that ends soon has its time");
        let executor = Executor::own();
        let (own, (sender, dropped)) = (executor.clone(), oneshot::channel());
        let task = async move {
            drop(own);
            sender.send(()).unwrap();
        };
        executor.spawn(task).unwrap();
        drop(executor);
        dropped.await.unwrap();
    }

    #[test]
    fn a_runtime_of_the_caller_that_ends_takes_nothing_with_it() {
        let executor = Executor::own();
        let (sender, receiver) = oneshot::channel();
        let mut task = None;
        current_thread().block_on(async {
            let spawning = async {
                task = Some(tokio::spawn(receiver));
                Ok::<_, Error>(())
            };
            executor.run(spawning).await.unwrap();
        });
        sender.send(7).unwrap();
        assert_eq!(block_on(task.unwrap()).unwrap(), Ok(7));
    }

    #[tokio::test(start_paused = true)]
    async fn the_paused_time_of_the_caller_moves_a_clock_only_with_its_runtime() {
        let (own, given) = (Executor::own(), Executor::of(Handle::current()));
        let clocks = [own.clock(), given.clock()];
        let before = tokio::time::Instant::now();
        let sleep = async {
            tokio::time::sleep(HOUR).await;
            Ok::<_, Error>(())
        };
        given.run(sleep).await.unwrap();
        assert!(before.elapsed() >= HOUR);
        assert!(clocks[1].now() - clocks[1].started() >= HOUR);
        let now = own.run(async { Ok::<_, Error>(clocks[0].now()) }).await.unwrap();
        assert!(now - clocks[0].started() < HOUR);
    }

    #[test]
    fn an_operation_in_a_runtime_that_ends_is_an_error() {
        let runtime = current_thread();
        let executor = Executor::of(runtime.handle().clone());
        let (sender, started) = oneshot::channel();
        let waiting = thread::spawn({
            let executor = executor.clone();
            move || block_on(executor.run(hang(sender)))
        });
        runtime.block_on(started).unwrap();
        drop(runtime);
        let error = waiting.join().unwrap().unwrap_err();
        assert!(error.is_stopped() && error.to_string().contains("has ended"), "{error}");
        assert!(executor.has_ended());
        // As are later ones, which do not begin.
        let error = block_on(executor.run(async { Err::<(), _>(Error::failed("it began")) })).unwrap_err();
        assert!(error.is_stopped(), "{error}");
    }

    #[test]
    fn an_operation_in_a_runtime_that_had_ended_is_an_error() {
        let executor = Executor::of(current_thread().handle().clone());
        let error = block_on(executor.run(async { Ok::<_, Error>(()) })).unwrap_err();
        assert!(error.is_stopped(), "{error}");
    }

    #[test]
    #[should_panic(expected = "of the operation itself")]
    fn a_panic_of_an_operation_is_one_of_the_caller() {
        let panicking = async {
            assert!(std::hint::black_box(false), "of the operation itself");
            Ok::<_, Error>(())
        };
        let _ended = block_on(Executor::own().run(panicking));
    }
}
