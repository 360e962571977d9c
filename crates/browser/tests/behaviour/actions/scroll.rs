//! Tests of scrolling pages and boxes.

use serde_json::{Value, json};

use super::{check, fails, passes};

fn scroll(direction: &str) -> Value {
    json!({ "type": "scroll", "direction": direction })
}

fn scroll_in(direction: &str, selector: &str) -> Value {
    json!({ "type": "scroll", "direction": direction, "selector": selector })
}

#[tokio::test]
async fn pages_and_boxes_scroll_by_their_own_size() {
    let tall = "<style>body { margin: 0 } div { height: 5000px; width: 5000px }</style><div>D</div>";
    let app = "<style>html, body { margin: 0; height: 100%; overflow: hidden }
        #m { height: 100%; overflow: auto }</style><main id=m><p style=height:5000px>P</p></main>";
    let list =
        "<div id=l style='height:200px;overflow-y:scroll'><ul id=u style=height:3000px><li>L</ul></div>";
    let at = "[scrollX / innerWidth, scrollY / innerHeight]";
    let (in_app, in_list) = ("m.scrollTop / innerHeight", "l.scrollTop / l.clientHeight");
    let smooth = format!("<style>html {{ scroll-behavior: smooth }}</style>{tall}");
    let down = || json!([scroll("down")]);
    check(vec![
        passes("down", tall, down(), at, json!([0, 1])),
        passes("down is the default", tall, json!([{ "type": "scroll" }]), at, json!([0, 1])),
        passes(
            "there and back",
            tall,
            json!([scroll("down"), scroll("down"), scroll("up")]),
            at,
            json!([0, 1]),
        ),
        passes(
            "to the right",
            tall,
            json!([scroll("right"), scroll("right"), scroll("left")]),
            at,
            json!([1, 0]),
        ),
        passes("at the end", "<p>P</p>", json!([scroll("down"), scroll("up")]), at, json!([0, 0])),
        passes("the box that fills the window", app, down(), in_app, json!(1)),
        passes("a box", list, json!([scroll_in("down", "#l")]), in_list, json!(1)),
        passes("the box around a list", list, json!([scroll_in("down", "#u")]), in_list, json!(1)),
        passes(
            "a frame of another origin",
            "<script>addEventListener('message', event => document.title = event.data)</script>
             <iframe sandbox=allow-scripts srcdoc=\"<p id=p style=height:3000px>P</p><script>
             addEventListener('scroll', () => parent.postMessage(scrollY / innerHeight, '*'))
             </script>\"></iframe>",
            json!([scroll_in("down", "#p")]),
            "document.title",
            json!("1"),
        ),
        passes(
            "what scrolling loads is awaited",
            "<p style=height:2000px>P</p><i id=i>end</i><script>new IntersectionObserver(entries => {
               if (entries[0].isIntersecting) fetch('/next').then(() => i.textContent = 'more');
             }).observe(i)</script>",
            json!([scroll("down"), scroll("down"), scroll("down")]),
            "i.textContent",
            json!("more"),
        ),
        passes("a page that scrolls smoothly", smooth, down(), at, json!([0, 1])),
        fails(
            "nothing to scroll",
            "<p>P</p>",
            json!([scroll_in("down", "#m")]),
            "scroll \"#m\": no element matches",
        ),
    ])
    .await;
}
