"""Phrases of sixteen languages. A sentence is a subject, a predicate and an adverbial; `#` is a number."""

# code: (pattern, separator of sentences, subjects, predicates, adverbials)
# In a pattern, S, P and A are the three phrases; every other character stands for itself.
PHRASES = {
    "en": (
        "S P A.",
        " ",
        """
The district office|An efficient filter|The flow meter|A well-known surveyor|The affiliated workshop
The northern ferry company|A long-term storage vault|The field laboratory|The municipal orchard
Every fifth volunteer|The chief librarian|The refined measuring method|A flexible agreement
The international committee on waterways|The unofficial inventory|A half-finished viaduct
The characteristic resonance|The administrative reorganisation|The self-governing cooperative""",
        """
offers a sufficient number of samples|reflects the difficult weather of the valley|classified # fragments
gradually replaces the earlier arrangement|confirmed the preliminary observations|flooded the lower gallery
simplifies the transportation of fragile instruments|requires a thorough examination of all fittings
published an extraordinarily detailed description|was rebuilt with # oak beams|affects the final balance
distributes approximately # kilograms of barley|documented the systematic differences
established a representative collection of minerals|contradicts the traditional interpretation""",
        """
after the flood of #|in the second half of the season|without any additional funding
near the old waffle factory|under particularly unfavourable circumstances
for at least # days|at a temperature of # degrees
between the two neighbouring settlements|according to an independent investigation|on the first floor
despite considerable organisational difficulties|as a first approximation|since the spring of #""",
    ),
    "de": (
        "S P A.",
        " ",
        """
Die Gemeindeverwaltung|Das Wasserwirtschaftsamt|Der Flussübergang|Die Straßenbahngesellschaft
Ein unabhängiger Sachverständiger|Die Landesvermessung|Der Gartenbauverein|Das Schifffahrtsmuseum
Die Geschäftsführung|Ein ungewöhnlich großer Behälter|Der Brückenwärter|Die Wetterbeobachtungsstation""",
        """
bestätigt die vorläufigen Messergebnisse|verschiebt die Eröffnungsveranstaltung
untersucht # verschiedene Bodenproben|erneuert sämtliche Sicherheitsvorkehrungen
beschreibt die Wirtschaftlichkeit des Verfahrens|übernimmt die Verantwortung für den Speicher
vergrößert den Abstand zwischen den Pfeilern|veröffentlicht eine ausführliche Dokumentation
ersetzt die beschädigten Rohrleitungen|berücksichtigt die klimatischen Veränderungen""",
        """
seit dem Frühjahr #|trotz erheblicher Schwierigkeiten|in den höher gelegenen Ortschaften
mit Zustimmung der Eigentümerversammlung|während der Überschwemmung von #|ohne zusätzliche Fördermittel
nach sorgfältiger Überprüfung|auf einer Fläche von # Hektar|unter außergewöhnlichen Umständen""",
    ),
    "fr": (
        "S P A.",
        " ",
        """
Le bureau du cadastre|L’hôtel des voyageurs|Une équipe d’ingénieurs|La société de navigation
Le conservateur du musée|L’œuvre collective|Cette méthode d’évaluation|Le château d’eau
La coopérative agricole|Un chercheur expérimenté|L’ancienne scierie|La bibliothèque municipale""",
        """
confirme les premières observations|a déplacé # caisses d’archives|révèle des différences systématiques
prépare une restauration complète|décrit l’évolution du paysage|accueille de nombreux bénévoles
exige une vérification supplémentaire|dépasse largement les prévisions|a mesuré # échantillons
réorganise l’approvisionnement en énergie|garantit la sécurité des installations""",
        """
depuis l’été #|malgré une météo défavorable|au cœur de la vallée|pendant la deuxième moitié du siècle
avec l’accord des propriétaires|à une température de # degrés|sans aucune difficulté particulière
près de la frontière|en dépit des inondations de #|grâce à un financement régional""",
    ),
    "es": (
        "S P A.",
        " ",
        """
La oficina del puerto|El ingeniero jefe|Una comisión independiente|El pequeño taller de relojería
La compañía de tranvías|El jardín botánico|La cosecha de almendras|El archivo histórico
Una excavación reciente|La señora encargada del depósito|El método más sencillo|La asociación de vecinos""",
        """
confirmó las observaciones preliminares|distribuye # toneladas de cereal|amplió la galería inferior
describe una situación excepcional|exige la participación de todos|restauró las vigas dañadas
publicará un catálogo extraordinario|compró # instrumentos de precisión|explica la organización del trabajo
sustituye las tuberías más antiguas|mejoró considerablemente la iluminación""",
        """
desde el otoño de #|a pesar de la inundación|en la montaña más próxima|según el último informe
durante más de # días|sin ninguna subvención|con la aprobación del ayuntamiento|bajo condiciones difíciles
junto al camino viejo|después de la reunión""",
    ),
    "pl": (
        "S P A.",
        " ",
        """
Miejski urząd żeglugi|Doświadczony geodeta|Stowarzyszenie ogrodników|Najstarszy młyn wodny
Niezależna komisja|Główny księgowy|Zakład naprawy zegarów|Międzynarodowy zespół badawczy
Przewoźnik promowy|Kierowniczka archiwum|Nowy sposób pomiaru""",
        """
potwierdził wcześniejsze spostrzeżenia|zebrał # próbek gleby|opisuje zmiany krajobrazu
wymaga dokładnego sprawdzenia|rozdzielił żywność między mieszkańców|odbudował zniszczony most
przedstawił szczegółowe wyjaśnienie|zwiększa bezpieczeństwo urządzeń|zakupił # narzędzi""",
        """
od wiosny # roku|pomimo znacznych trudności|w górnej części doliny|podczas powodzi z # roku
bez dodatkowych środków|według ostatniego sprawozdania|za zgodą właścicieli|w wyjątkowych okolicznościach""",
    ),
    "ru": (
        "S P A.",
        " ",
        """
Городское управление|Опытный землемер|Независимая комиссия|Старейшая водяная мельница
Общество садоводов|Главный библиотекарь|Международная группа исследователей|Паромная переправа
Новый способ измерения|Мастерская часовщика|Сельскохозяйственный кооператив""",
        """
подтверждает прежние наблюдения|собирает # образцов почвы|описывает изменения ландшафта
требует дополнительной проверки|распределяет запасы между жителями|восстанавливает разрушенный мост
публикует подробное объяснение|повышает безопасность оборудования|заменяет # повреждённых труб""",
        """
с весны # года|несмотря на значительные трудности|в верхней части долины|во время наводнения # года
без дополнительного финансирования|согласно последнему отчёту
с согласия владельцев|при особых обстоятельствах""",
    ),
    "el": (
        "S P A.",
        " ",
        """
Το δημοτικό γραφείο|Ο έμπειρος μηχανικός|Η ανεξάρτητη επιτροπή|Ο παλιός νερόμυλος
Η εταιρεία των πλοίων|Το ιστορικό αρχείο|Η νέα μέθοδος μέτρησης|Ο σύλλογος των κηπουρών
Το εργαστήριο του ωρολογοποιού|Η διεθνής ομάδα""",
        """
επιβεβαιώνει τις πρώτες παρατηρήσεις|συγκεντρώνει # δείγματα εδάφους|περιγράφει τις αλλαγές του τοπίου
απαιτεί πρόσθετο έλεγχο|διανέμει τα αποθέματα στους κατοίκους|ανακατασκευάζει τη γέφυρα
δημοσιεύει μια λεπτομερή εξήγηση|αντικαθιστά # σωλήνες""",
        """
από την άνοιξη του #|παρά τις σημαντικές δυσκολίες|στο πάνω μέρος της κοιλάδας|χωρίς πρόσθετη χρηματοδότηση
σύμφωνα με την τελευταία έκθεση|κατά την πλημμύρα του #|με τη σύμφωνη γνώμη των ιδιοκτητών""",
    ),
    "tr": (
        "S A P.",
        " ",
        """
Belediye bürosu|Deneyimli mühendis|Bağımsız kurul|Eski su değirmeni|Bahçıvanlar derneği
Tarih arşivi|Yeni ölçüm yöntemi|Uluslararası araştırma ekibi|Saat tamirhanesi|Feribot işletmesi""",
        """
ilk gözlemleri doğruluyor|# toprak örneği topladı|manzaradaki değişiklikleri anlatıyor
ek bir inceleme gerektiriyor|yıkılan köprüyü yeniden kuruyor|ayrıntılı bir açıklama yayımladı
cihazların güvenliğini artırıyor|# boruyu değiştirdi|çalışmaların düzenini açıklıyor""",
        """
# yılının baharından beri|büyük güçlüklere karşın|vadinin yukarı kesiminde|ek ödenek olmadan
son rapora göre|# yılındaki sel sırasında|mülk sahiplerinin onayıyla|olağanüstü koşullarda""",
    ),
    "vi": (
        "S P A.",
        " ",
        """
Văn phòng thị trấn|Người kỹ sư giàu kinh nghiệm|Ủy ban độc lập|Cối xay nước lâu đời
Hội những người làm vườn|Kho lưu trữ lịch sử|Phương pháp đo lường mới|Nhóm nghiên cứu quốc tế
Xưởng sửa đồng hồ""",
        """
xác nhận những quan sát ban đầu|thu thập # mẫu đất|mô tả sự thay đổi của phong cảnh
cần được kiểm tra thêm|phân phát lương thực cho cư dân|xây dựng lại cây cầu đã hỏng
công bố một lời giải thích chi tiết|thay thế # đường ống""",
        """
từ mùa xuân năm #|mặc dù có nhiều khó khăn|ở phía trên của thung lũng|khi không có thêm kinh phí
theo báo cáo gần đây nhất|trong trận lụt năm #|với sự đồng ý của các chủ sở hữu""",
    ),
    "ar": (
        "S P A.",
        " ",
        """
مكتب البلدية|المهندس الخبير|اللجنة المستقلة|الطاحونة القديمة|جمعية البستانيين|أرشيف المدينة
طريقة القياس الجديدة|فريق البحث الدولي|ورشة الساعات|شركة العبارات""",
        """
يؤكد الملاحظات الأولى|جمع # عينة من التربة|يصف تغيرات المنظر الطبيعي|يتطلب فحصا إضافيا
يوزع المخزون على السكان|أعاد بناء الجسر المهدوم|نشر شرحا مفصلا|يزيد سلامة المعدات|استبدل # أنبوبا""",
        """
منذ ربيع عام #|رغم الصعوبات الكبيرة|في أعلى الوادي|من دون تمويل إضافي|وفقا للتقرير الأخير
أثناء فيضان عام #|بموافقة المالكين|في ظروف استثنائية""",
    ),
    "he": (
        "S P A.",
        " ",
        """
משרד העירייה|המהנדס המנוסה|הוועדה העצמאית|טחנת המים הישנה|אגודת הגננים|ארכיון העיר
שיטת המדידה החדשה|צוות המחקר הבינלאומי|סדנת השעונים|חברת המעבורות""",
        """
מאשר את התצפיות הראשונות|אסף # דגימות קרקע|מתאר את שינויי הנוף|דורש בדיקה נוספת
מחלק את המלאי לתושבים|בנה מחדש את הגשר ההרוס|פרסם הסבר מפורט|החליף # צינורות""",
        """
מאז אביב #|למרות קשיים ניכרים|בחלק העליון של העמק|ללא מימון נוסף|לפי הדוח האחרון
בזמן השיטפון של #|בהסכמת הבעלים|בנסיבות מיוחדות""",
    ),
    "zh": (
        "A，SP。",
        "",
        """
市政办公室|经验丰富的工程师|独立委员会|古老的水磨坊|园艺协会|城市档案馆|新的测量方法|国际研究小组|钟表修理店|渡轮公司
山谷里的农业合作社|气象观测站""",
        """
证实了最初的观察结果|收集了#份土壤样本|描述了地貌的变化|需要进一步检查|把粮食分给居民|重建了被毁的桥梁
发表了详细的说明|提高了设备的安全性|更换了#根管道|改善了仓库的照明""",
        """
自#年春天以来|尽管困难很大|在河谷的上游|没有额外资金的情况下|根据最近的报告|在#年的洪水期间|经业主同意
在特殊情况下|为了节约能源""",
    ),
    "ja": (
        "A、SはP。",
        "",
        """
町役場の担当者|経験豊かな技師|独立した委員会|古い水車小屋|園芸の会|市の資料館|新しい測定方法|国際的な研究班
時計の修理工房|フェリー会社|谷の農業組合""",
        """
最初の観察を確かめた|#個の土の標本を集めた|景色の変化を記録した|さらに詳しい検査を必要とする
食料を住民に配った|壊れた橋を建て直した|くわしい説明を発表した|設備の安全を高める|#本の管を取り替えた""",
        """
#年の春から|大きな困難にもかかわらず|谷の上流では|追加の予算がないまま|最近の報告によると|#年の洪水のとき
持ち主の同意を得て|特別な事情のもとで""",
    ),
    "ko": (
        "A S P.",
        " ",
        """
시청 사무실은|경험 많은 기술자는|독립 위원회는|오래된 물레방앗간은|원예 협회는|도시 기록관은
새로운 측정 방법은|국제 연구팀은|시계 수리점은|여객선 회사는""",
        """
첫 관찰을 확인했다|토양 표본 #개를 모았다|풍경의 변화를 설명한다|추가 검사가 필요하다
주민들에게 식량을 나누어 주었다|무너진 다리를 다시 세웠다|자세한 설명을 발표했다|관 #개를 교체했다""",
        """
#년 봄부터|큰 어려움에도 불구하고|골짜기 위쪽에서|추가 예산 없이|최근 보고서에 따르면
#년 홍수 때|소유자의 동의를 얻어|특별한 상황에서""",
    ),
    "hi": (
        "A S P।",
        " ",
        """
नगर कार्यालय|अनुभवी अभियंता|स्वतंत्र समिति|पुरानी पनचक्की|बागवानों का संघ|नगर का अभिलेखागार
मापन की नई विधि|अंतरराष्ट्रीय शोध दल|घड़ियों की दुकान""",
        """
पहले के अवलोकन की पुष्टि करता है|मिट्टी के # नमूने लाता है|बदलते दृश्य का वर्णन करता है
और जाँच की माँग करता है|अनाज लोगों में बाँटता है|टूटे पुल को फिर बनाता है|विस्तृत विवरण छापता है""",
        """
सन # के वसंत से|बड़ी कठिनाइयों के बावजूद|घाटी के ऊपरी भाग में|अतिरिक्त धन के बिना
पिछले विवरण के अनुसार|सन # की बाढ़ के समय|मालिकों की सहमति से""",
    ),
    "th": (
        "SPA",
        " ",
        """
สำนักงานเทศบาล|วิศวกรผู้มีประสบการณ์|คณะกรรมการอิสระ|โรงสีน้ำเก่าแก่|สมาคมชาวสวน|หอจดหมายเหตุของเมือง
วิธีวัดแบบใหม่|กลุ่มวิจัยนานาชาติ|ร้านซ่อมนาฬิกา""",
        """
ยืนยันข้อสังเกตแรก|เก็บตัวอย่างดิน # ชิ้น|อธิบายการเปลี่ยนแปลงของภูมิประเทศ|ต้องการการตรวจสอบเพิ่มเติม
แจกอาหารให้ชาวบ้าน|สร้างสะพานที่พังขึ้นใหม่|เผยแพร่คำอธิบายโดยละเอียด|เปลี่ยนท่อ # เส้น""",
        """
ตั้งแต่ฤดูใบไม้ผลิปี #|แม้มีความยากลำบากมาก|ทางตอนบนของหุบเขา|โดยไม่มีงบประมาณเพิ่ม
ตามรายงานล่าสุด|ระหว่างน้ำท่วมปี #|ด้วยความยินยอมของเจ้าของ""",
    ),
}

RIGHT_TO_LEFT = {"ar", "he"}
WITHOUT_SPACES = {"zh", "ja", "th"}
