//! The commands and events of the DevTools protocol that are used, with the fields that are used.

/// Declares a command: its name in the protocol, its fields, and its result.
macro_rules! command {
    ($(#[$doc:meta])* $name:ident $(<$life:lifetime>)? = $method:literal -> $reply:ty {
        $($(#[$attribute:meta])* $field:ident: $kind:ty),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $name $(<$life>)? {
            $($(#[$attribute])* pub(crate) $field: $kind,)*
        }

        impl $(<$life>)? crate::wire::Command for $name $(<$life>)? {
            const METHOD: &'static str = $method;
            type Reply = $reply;
        }
    };
}

/// Declares a result or an event, or a part of one.
macro_rules! fields {
    ($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $kind:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $name {
            $($(#[$attribute])* pub(crate) $field: $kind,)*
        }
    };
}

/// A result without fields that are used.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
pub(crate) struct Done {}

pub(crate) mod browser {
    use super::Done;
    use crate::wire::ContextId;

    command!(GetVersion = "Browser.getVersion" -> Version {});
    fields!(Version { product: String, user_agent: String });

    command!(
        /// Downloads end as failed navigations.
        SetDownloadBehavior = "Browser.setDownloadBehavior" -> Done {
            behavior: &'static str,
            browser_context_id: ContextId,
        }
    );
}

pub(crate) mod target {
    use super::Done;
    use crate::wire::{ContextId, SessionId};

    command!(SetAutoAttach = "Target.setAutoAttach" -> Done {
        auto_attach: bool,
        wait_for_debugger_on_start: bool,
        flatten: bool,
    });
    command!(CreateBrowserContext = "Target.createBrowserContext" -> Created { dispose_on_detach: bool });
    fields!(Created { browser_context_id: ContextId });
    command!(DisposeBrowserContext = "Target.disposeBrowserContext" -> Done {
        browser_context_id: ContextId,
    });
    command!(GetBrowserContexts = "Target.getBrowserContexts" -> Contexts {});
    fields!(Contexts { browser_context_ids: Vec<ContextId> });
    command!(CreateTarget<'a> = "Target.createTarget" -> Done {
        url: &'a str,
        browser_context_id: ContextId,
        width: u32,
        height: u32,
    });
    command!(CloseTarget = "Target.closeTarget" -> Done { target_id: String });
    command!(GetTargets = "Target.getTargets" -> Targets {});
    fields!(Targets { target_infos: Vec<TargetInfo> });
    fields!(Attached { session_id: SessionId, target_info: TargetInfo, waiting_for_debugger: bool });
    fields!(TargetInfo {
        target_id: String,
        #[serde(rename = "type")]
        kind: String,
    });
    fields!(Detached { session_id: SessionId });
}

pub(crate) mod fetch {
    use std::collections::BTreeMap;

    use super::Done;

    command!(Enable = "Fetch.enable" -> Done { patterns: Vec<Pattern> });

    #[derive(Debug, Clone, serde::Serialize)]
    #[serde(rename_all = "camelCase")]
    pub(crate) struct Pattern {
        pub(crate) url_pattern: &'static str,
    }

    fields!(
        /// A request that waits for its answer.
        Paused {
            request_id: String,
            request: Request,
            frame_id: Option<String>,
            resource_type: String,
        }
    );
    fields!(Request {
        url: String,
        method: String,
        headers: BTreeMap<String, String>,
        post_data: Option<String>,
        #[serde(default)]
        has_post_data: bool,
        #[serde(default)]
        post_data_entries: Vec<PostData>,
    });
    fields!(
        /// A part of a body, in base64.
        PostData { bytes: Option<String> }
    );

    command!(FulfillRequest = "Fetch.fulfillRequest" -> Done {
        request_id: String,
        response_code: u16,
        response_headers: Vec<Header>,
        /// In base64.
        body: String,
    });

    #[derive(Debug, Clone, serde::Serialize)]
    pub(crate) struct Header {
        pub(crate) name: String,
        pub(crate) value: String,
    }

    command!(FailRequest<'a> = "Fetch.failRequest" -> Done {
        request_id: &'a str,
        error_reason: &'static str,
    });
}

pub(crate) mod inspector {
    use super::Done;

    command!(Enable = "Inspector.enable" -> Done {});
}

pub(crate) mod network {
    use super::Done;

    command!(
        /// Sends events of the network. Their number of bytes for bodies is zero: nothing is kept.
        Enable = "Network.enable" -> Done { max_total_buffer_size: u32, max_resource_buffer_size: u32 }
    );
    command!(SetBypassServiceWorker = "Network.setBypassServiceWorker" -> Done { bypass: bool });
}

pub(crate) mod page {
    use super::Done;

    command!(Enable = "Page.enable" -> Done {});
    command!(AddScript = "Page.addScriptToEvaluateOnNewDocument" -> Done {
        source: &'static str,
        world_name: &'static str,
    });
    command!(Navigate<'a> = "Page.navigate" -> Navigated { url: &'a str });
    fields!(Navigated { frame_id: String });
    command!(GetFrameTree = "Page.getFrameTree" -> FrameTreeReply {});
    fields!(FrameTreeReply { frame_tree: FrameTree });
    fields!(FrameTree { frame: Frame, #[serde(default)] child_frames: Vec<FrameTree> });
    fields!(Frame { id: String, parent_id: Option<String>, url: String });
    command!(CreateIsolatedWorld<'a> = "Page.createIsolatedWorld" -> World {
        frame_id: &'a str,
        world_name: &'static str,
    });
    fields!(World { execution_context_id: i64 });
    command!(HandleJavaScriptDialog = "Page.handleJavaScriptDialog" -> Done { accept: bool });
    fields!(
        /// A file in base64.
        Data { data: String }
    );

    fields!(FrameNavigated { frame: Frame });
    fields!(FrameAttached { frame_id: String, parent_frame_id: String });
    fields!(FrameDetached {
        frame_id: String,
        #[serde(default)]
        reason: String
    });
    fields!(FrameEvent { frame_id: String });
    fields!(NavigatedWithinDocument { frame_id: String, url: String });
    fields!(ScheduledNavigation { frame_id: String, delay: f64 });
    fields!(StartedNavigating { frame_id: String, navigation_type: String });
}

pub(crate) mod runtime {
    use serde_json::Value;

    use super::Done;

    command!(RunIfWaitingForDebugger = "Runtime.runIfWaitingForDebugger" -> Done {});
    command!(TerminateExecution = "Runtime.terminateExecution" -> Done {});
    command!(CallFunctionOn<'a> = "Runtime.callFunctionOn" -> Evaluated {
        function_declaration: &'a str,
        execution_context_id: i64,
        arguments: Vec<Argument>,
        return_by_value: bool,
        await_promise: bool,
        user_gesture: bool,
    });
    #[derive(Debug, Clone, serde::Serialize)]
    pub(crate) struct Argument {
        pub(crate) value: Value,
    }
    command!(Evaluate<'a> = "Runtime.evaluate" -> Evaluated {
        expression: &'a str,
        await_promise: bool,
        return_by_value: bool,
        user_gesture: bool,
        #[serde(rename = "allowUnsafeEvalBlockedByCSP")]
        allow_unsafe_eval: bool,
    });
    fields!(Evaluated { result: RemoteObject, exception_details: Option<Exception> });
    fields!(RemoteObject { value: Option<Value> });
    fields!(Exception { text: String, exception: Option<ExceptionObject> });
    fields!(ExceptionObject { description: Option<String> });
}

pub(crate) mod emulation {
    use super::Done;

    command!(SetDeviceMetricsOverride = "Emulation.setDeviceMetricsOverride" -> Done {
        width: u32,
        height: u32,
        device_scale_factor: u32,
        mobile: bool,
        screen_width: u32,
        screen_height: u32,
        screen_orientation: ScreenOrientation,
    });
    #[derive(Debug, Clone, serde::Serialize)]
    pub(crate) struct ScreenOrientation {
        #[serde(rename = "type")]
        pub(crate) kind: &'static str,
        pub(crate) angle: u16,
    }
    command!(SetFocusEmulationEnabled = "Emulation.setFocusEmulationEnabled" -> Done { enabled: bool });
    command!(SetTouchEmulationEnabled = "Emulation.setTouchEmulationEnabled" -> Done {
        enabled: bool,
        max_touch_points: u8,
    });
    command!(SetTimezoneOverride<'a> = "Emulation.setTimezoneOverride" -> Done { timezone_id: &'a str });
    command!(SetLocaleOverride<'a> = "Emulation.setLocaleOverride" -> Done { locale: &'a str });
    command!(SetUserAgentOverride<'a> = "Emulation.setUserAgentOverride" -> Done {
        user_agent: &'a str,
        accept_language: String,
        platform: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        user_agent_metadata: Option<UserAgentMetadata>,
    });
    #[derive(Debug, Clone, serde::Serialize)]
    #[serde(rename_all = "camelCase")]
    pub(crate) struct UserAgentMetadata {
        pub(crate) brands: Vec<Brand>,
        pub(crate) full_version_list: Vec<Brand>,
        pub(crate) platform: &'static str,
        pub(crate) platform_version: &'static str,
        pub(crate) architecture: &'static str,
        pub(crate) model: &'static str,
        pub(crate) mobile: bool,
        pub(crate) bitness: &'static str,
        pub(crate) wow64: bool,
        pub(crate) form_factors: [&'static str; 1],
    }
    #[derive(Debug, Clone, serde::Serialize)]
    pub(crate) struct Brand {
        pub(crate) brand: &'static str,
        pub(crate) version: String,
    }
}

pub(crate) mod storage {
    use super::Done;
    use crate::wire::ContextId;

    command!(GetCookies = "Storage.getCookies" -> Cookies { browser_context_id: ContextId });
    fields!(Cookies { cookies: Vec<Cookie> });
    command!(SetCookies = "Storage.setCookies" -> Done {
        cookies: Vec<Cookie>,
        browser_context_id: ContextId,
    });

    #[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub(crate) struct Cookie {
        pub(crate) name: String,
        pub(crate) value: String,
        pub(crate) domain: String,
        pub(crate) path: String,
        pub(crate) secure: bool,
        pub(crate) http_only: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) same_site: Option<String>,
        /// Seconds since the Unix epoch; -1 for a cookie of the session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) expires: Option<f64>,
    }
}

pub(crate) mod capture {
    use super::page::Data;

    command!(GetLayoutMetrics = "Page.getLayoutMetrics" -> LayoutMetrics {});
    fields!(
        /// In CSS pixels.
        LayoutMetrics {
            css_layout_viewport: LayoutViewport,
            css_visual_viewport: VisualViewport,
            css_content_size: ContentSize,
        }
    );
    fields!(
        /// The part of the document that the window shows.
        LayoutViewport { page_x: f64, page_y: f64, client_width: f64, client_height: f64 }
    );
    fields!(
        /// `scale` is the zoom of a phone: less than 1 if the document is wider than its screen.
        VisualViewport { scale: f64 }
    );
    fields!(ContentSize { height: f64 });

    command!(CaptureScreenshot = "Page.captureScreenshot" -> Data {
        format: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        quality: Option<u8>,
        #[serde(skip_serializing_if = "Option::is_none")]
        clip: Option<Clip>,
        capture_beyond_viewport: bool,
        optimize_for_speed: bool,
    });
    /// A part of the document in CSS pixels, and the size of its picture relative to that of the window.
    #[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
    pub(crate) struct Clip {
        pub(crate) x: f64,
        pub(crate) y: f64,
        pub(crate) width: f64,
        pub(crate) height: f64,
        pub(crate) scale: f64,
    }
}

pub(crate) mod dom {
    use crate::lossy::Lossy;

    command!(
        /// A function whose result stays in the page.
        CallForObject = "Runtime.callFunctionOn" -> ObjectReply {
            function_declaration: &'static str,
            execution_context_id: i64,
        }
    );
    fields!(ObjectReply { result: RemoteObject });
    fields!(RemoteObject { object_id: Option<String> });

    command!(GetOuterHtml<'a> = "DOM.getOuterHTML" -> OuterHtml {
        object_id: &'a str,
        #[serde(rename = "includeShadowDOM")]
        include_shadow_dom: bool,
    });
    fields!(OuterHtml {
        #[serde(rename = "outerHTML")]
        outer_html: Lossy,
    });
}

pub(crate) mod input {
    use super::Done;

    command!(DispatchMouseEvent = "Input.dispatchMouseEvent" -> Done {
        #[serde(rename = "type")]
        kind: &'static str,
        x: f64,
        y: f64,
        button: &'static str,
        /// The buttons that are down, as bits.
        buttons: u8,
        click_count: u8,
        pointer_type: &'static str,
    });
    command!(DispatchTouchEvent = "Input.dispatchTouchEvent" -> Done {
        #[serde(rename = "type")]
        kind: &'static str,
        touch_points: Vec<TouchPoint>,
    });
    #[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
    pub(crate) struct TouchPoint {
        pub(crate) x: f64,
        pub(crate) y: f64,
    }
    command!(DispatchKeyEvent<'a> = "Input.dispatchKeyEvent" -> Done {
        #[serde(rename = "type")]
        kind: &'static str,
        /// The modifiers that are down, as bits.
        modifiers: u8,
        key: &'a str,
        code: &'a str,
        windows_virtual_key_code: u16,
        location: u8,
        #[serde(skip_serializing_if = "str::is_empty")]
        text: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        unmodified_text: &'a str,
    });
    command!(InsertText<'a> = "Input.insertText" -> Done { text: &'a str });
    command!(
        /// File choosers do not open; an event reports them.
        SetInterceptFileChooserDialog = "Page.setInterceptFileChooserDialog" -> Done { enabled: bool }
    );
}

pub(crate) mod owner {
    use super::Done;

    command!(GetFrameOwner<'a> = "DOM.getFrameOwner" -> FrameOwner { frame_id: &'a str });
    fields!(FrameOwner { backend_node_id: i64 });
    command!(GetBoxModel = "DOM.getBoxModel" -> BoxModelReply { backend_node_id: i64 });
    fields!(BoxModelReply { model: BoxModel });
    fields!(
        /// The corners of the content box, as x and y in turn.
        BoxModel { content: Vec<f64> }
    );
    command!(ScrollIntoViewIfNeeded = "DOM.scrollIntoViewIfNeeded" -> Done {
        backend_node_id: i64,
        rect: Rect,
    });
    #[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
    pub(crate) struct Rect {
        pub(crate) x: f64,
        pub(crate) y: f64,
        pub(crate) width: f64,
        pub(crate) height: f64,
    }
}

pub(crate) mod io {
    use super::Done;

    command!(
        /// Prints the page into a stream.
        PrintToStream = "Page.printToPDF" -> Printed {
            landscape: bool,
            scale: f64,
            /// In inches, as is the height.
            paper_width: f64,
            paper_height: f64,
            print_background: bool,
            transfer_mode: &'static str,
        }
    );
    fields!(Printed { stream: String });
    command!(Read<'a> = "IO.read" -> Chunk { handle: &'a str, size: u32 });
    fields!(Chunk {
        data: String,
        #[serde(default)]
        base64_encoded: bool,
        eof: bool,
    });
    command!(Close<'a> = "IO.close" -> Done { handle: &'a str });
}
