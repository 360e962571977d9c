//! Pages in scripts without spaces between words or that run from right to left: their main content is found
//! as on an English page.

use gleaner_transform::{Input, transform};
use gleaner_types::request::{Format, ScrapeOptions};

/// A page of a small site about kilns.
struct Page {
    language: &'static str,
    site: &'static str,
    /// The separator between title and site in `<title>`.
    separator: &'static str,
    title: &'static str,
    /// The date 2024-03-05 as the page writes it.
    date: &'static str,
    paragraphs: [&'static str; 4],
    navigation: [&'static str; 6],
    /// Titles of other pages, below the text.
    others: [&'static str; 4],
    footer: &'static str,
}

const PAGES: &[Page] = &[
    Page {
        language: "zh-CN",
        site: "陶艺网",
        separator: "_",
        title: "怎样控制窑炉的温度",
        date: "发布时间：2024年3月5日 10:20　来源：陶艺网",
        paragraphs: [
            "窑炉的温度决定了陶器的颜色和硬度。刚开始烧的时候，火要小，温度每小时只能升高一百度左右，否则坯体里的水分会把陶器胀裂。",
            "温度到六百度以后，可以加快一些。这时候粘土里的化学水已经跑掉了，坯体不再容易开裂，但是釉面还没有熔化，所以不要急着打开窑门。",
            "到了一千二百度，釉面熔化，陶器表面变得光滑。保持这个温度半个小时，让窑里各处的温度一样高，颜色才会均匀。",
            "最后关火，让窑炉自己慢慢冷却。一般要等一天一夜，温度降到一百度以下才能开窑，不然冷空气会让陶器炸裂。",
        ],
        navigation: ["首页", "新闻", "窑炉", "釉料", "课程", "联系我们"],
        others: ["初学者怎样选粘土", "十种常见的釉料", "拉坯的五个步骤", "怎样修补裂缝"],
        footer: "版权所有 陶艺网 未经许可不得转载",
    },
    Page {
        language: "ja",
        site: "陶芸の窓",
        separator: "｜",
        title: "窯の温度を上手に上げる方法",
        date: "公開日：2024年3月5日",
        paragraphs: [
            "窯の温度は、焼き物の色と硬さを決める大切な要素です。焼き始めは火を弱くして、一時間に百度くらいの速さでゆっくり上げていきます。",
            "六百度を超えると、粘土の中の水分はほとんど抜けています。ここからは少し速く温度を上げても、ひびが入る心配はあまりありません。",
            "千二百度になると釉薬が溶けて、表面がなめらかになります。この温度を三十分ほど保つと、窯の中の温度がそろい、色むらがなくなります。",
            "火を止めたら、窯が自然に冷めるのを待ちます。百度より下がる前に扉を開けると、冷たい空気で作品が割れてしまうことがあります。",
        ],
        navigation: ["ホーム", "お知らせ", "窯", "釉薬", "教室", "お問い合わせ"],
        others: ["粘土の選び方", "釉薬の種類", "ろくろの基本", "ひびの直し方"],
        footer: "著作権 陶芸の窓 無断転載を禁じます",
    },
    Page {
        language: "th",
        site: "ร้านดินเผา",
        separator: " | ",
        title: "วิธีควบคุมอุณหภูมิเตาเผา",
        date: "2024-03-05",
        paragraphs: [
            "อุณหภูมิของเตาเผาเป็นตัวกำหนดสีและความแข็งของเครื่องปั้นดินเผา ในช่วงแรกต้องใช้ไฟอ่อน และเพิ่มอุณหภูมิไม่เกินหนึ่งร้อยองศาต่อชั่วโมง",
            "เมื่ออุณหภูมิสูงเกินหกร้อยองศา น้ำในเนื้อดินจะระเหยออกหมดแล้ว จึงเร่งไฟได้เร็วขึ้นโดยที่ชิ้นงานไม่แตกร้าว แต่ยังไม่ควรเปิดประตูเตา",
            "ที่อุณหภูมิหนึ่งพันสองร้อยองศา น้ำเคลือบจะละลายและผิวของชิ้นงานจะเรียบเนียน ควรรักษาอุณหภูมินี้ไว้ครึ่งชั่วโมงเพื่อให้สีสม่ำเสมอ",
            "หลังจากปิดไฟแล้ว ให้ปล่อยเตาเย็นลงเองอย่างช้าๆ โดยปกติต้องรอหนึ่งวันหนึ่งคืนก่อนเปิดเตา มิฉะนั้นอากาศเย็นจะทำให้ชิ้นงานแตก",
        ],
        navigation: ["หน้าแรก", "ข่าว", "เตาเผา", "น้ำเคลือบ", "หลักสูตร", "ติดต่อเรา"],
        others: ["เลือกดินอย่างไร", "น้ำเคลือบสิบชนิด", "ขั้นตอนการขึ้นรูป", "ซ่อมรอยร้าว"],
        footer: "สงวนลิขสิทธิ์ ร้านดินเผา",
    },
    Page {
        language: "ar",
        site: "ورشة الفخار",
        separator: " - ",
        title: "كيف تتحكم في حرارة الفرن",
        date: "5 مارس 2024",
        paragraphs: [
            "تحدد حرارة الفرن لون الفخار وصلابته، ولذلك يبدأ الحرق بنار هادئة ترتفع مئة درجة في الساعة على الأكثر حتى لا يتشقق الطين من بخار الماء.",
            "بعد ست مئة درجة يكون الماء قد خرج من الطين كله، فيمكن رفع الحرارة أسرع من قبل، لكن باب الفرن يبقى مغلقا لأن الطلاء لم يذب بعد.",
            "عند ألف ومئتي درجة يذوب الطلاء ويصبح سطح الفخار أملس، وتثبت الحرارة نصف ساعة حتى تتساوى في كل أنحاء الفرن ويأتي اللون متجانسا.",
            "في النهاية تطفأ النار ويترك الفرن ليبرد وحده يوما وليلة، فإذا فتح الباب قبل ذلك دخل الهواء البارد وكسر القطع التي ما زالت ساخنة.",
        ],
        navigation: ["الرئيسية", "أخبار", "أفران", "طلاء", "دروس", "اتصل بنا"],
        others: ["كيف تختار الطين", "عشرة أنواع من الطلاء", "خطوات التشكيل", "إصلاح الشقوق"],
        footer: "جميع الحقوق محفوظة لورشة الفخار",
    },
    Page {
        language: "ko",
        site: "도자기 공방",
        separator: " - ",
        title: "가마 온도를 조절하는 방법",
        date: "2024년 3월 5일",
        paragraphs: [
            "가마의 온도는 도자기의 색과 단단함을 결정합니다. 처음에는 불을 약하게 하고 한 시간에 백 도 정도씩 천천히 올려야 흙 속의 물 때문에 금이 가지 않습니다.",
            "육백 도가 넘으면 흙 속의 물은 거의 다 빠져나갑니다. 이때부터는 온도를 조금 더 빨리 올려도 되지만 유약이 아직 녹지 않았으므로 문을 열면 안 됩니다.",
            "천이백 도가 되면 유약이 녹아 표면이 매끄러워집니다. 이 온도를 삼십 분쯤 유지하면 가마 안의 온도가 고르게 되어 색이 얼룩지지 않습니다.",
            "불을 끈 뒤에는 가마가 저절로 식을 때까지 하루를 기다립니다. 백 도 아래로 내려가기 전에 문을 열면 찬 공기 때문에 작품이 깨질 수 있습니다.",
        ],
        navigation: ["홈", "소식", "가마", "유약", "강좌", "문의"],
        others: ["흙을 고르는 법", "유약 열 가지", "물레의 기본", "금 간 곳 고치기"],
        footer: "저작권 도자기 공방 무단 전재 금지",
    },
    Page {
        language: "ru",
        site: "Гончарная мастерская",
        separator: " — ",
        title: "Как управлять температурой печи",
        date: "5 марта 2024",
        paragraphs: [
            "От температуры печи зависят цвет и твёрдость глины. Сначала огонь должен быть слабым: не больше ста градусов в час, иначе вода в глине разорвёт изделие.",
            "После шестисот градусов вода из глины уже ушла, и нагревать можно быстрее. Глазурь ещё не расплавилась, поэтому дверцу печи открывать рано.",
            "При тысяче двухстах градусах глазурь плавится, и поверхность становится гладкой. Подержите эту температуру полчаса, чтобы цвет получился ровным.",
            "Потом печь выключают и дают ей остыть самой. Обычно на это уходят сутки: если открыть её раньше, холодный воздух расколет горячую посуду.",
        ],
        navigation: ["Главная", "Новости", "Печи", "Глазури", "Занятия", "Контакты"],
        others: [
            "Как выбрать глину",
            "Десять видов глазури",
            "Первые шаги за кругом",
            "Как заделать трещину",
        ],
        footer: "Все права защищены, Гончарная мастерская",
    },
];

fn html(page: &Page) -> String {
    let links = |texts: &[&str], folder: &str| -> String {
        texts
            .iter()
            .enumerate()
            .map(|(at, text)| format!("<li><a href=/{folder}/{at}>{text}</a></li>"))
            .collect()
    };
    let paragraphs: String = page.paragraphs.iter().map(|text| format!("<p>{text}</p>\n")).collect();
    format!(
        "<!DOCTYPE html><html lang={}><head><meta charset=utf-8><title>{}{}{}</title></head><body>
        <header><a href=/>{}</a><nav><ul>{}</ul></nav></header>
        <div class=wrap><div class=text><h1>{}</h1><div class=info>{}</div>{paragraphs}</div>
        <div class=more><h3>»</h3><ul>{}</ul></div></div><footer><p>{}</p></footer></body></html>",
        page.language,
        page.title,
        page.separator,
        page.site,
        page.site,
        links(&page.navigation, "nav"),
        page.title,
        page.date,
        links(&page.others, "page"),
        page.footer,
    )
}

#[test]
fn the_main_content_is_found_in_any_script() {
    let url = "https://example.org/kiln/1".parse().unwrap();
    let options = ScrapeOptions::new().formats([Format::Markdown, Format::Summary]).check().unwrap();
    for page in PAGES {
        let (language, html) = (page.language, html(page));
        let input = Input { url: &url, content_type: Some("text/html"), body: html.as_bytes() };
        let document = transform(input, &options).unwrap().document;
        let markdown = document.markdown.unwrap();
        for text in page.paragraphs {
            assert!(markdown.contains(text), "{language}: {text} is lost: {markdown}");
        }
        for text in [page.navigation[3], page.navigation[5], page.footer, page.others[1], page.others[3]] {
            assert!(
                !markdown.contains(&format!("[{text}]")),
                "{language}: {text} is not main content: {markdown}"
            );
        }
        assert!(!markdown.contains(page.footer), "{language}: {markdown}");
        let metadata = document.metadata;
        assert_eq!(metadata.title.as_deref(), Some(page.title), "{language}");
        assert_eq!(metadata.published_time.as_deref(), Some("2024-03-05"), "{language}");
        let summary = document.summary.unwrap();
        assert!(summary.chars().count() > 40, "{language}: {summary}");
    }
}
