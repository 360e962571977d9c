//! Organisations and places.

use super::{ROW, Row};
use crate::normalise::ValueForm;

pub(super) const ROWS: &[Row] = &[
    Row {
        form: ValueForm::Email,
        names: "email, e mail, mail, email address, contact email, e mail address, mail address, emails, \
            e mail adresse, mailadresse, email adresse, courriel, adresse e mail, adresse mail, \
            adresse électronique, mél, correo electrónico, correo, email de contacto, dirección de correo, \
            posta elettronica, indirizzo e mail, indirizzo email, endereço de e mail, correio eletrónico, \
            correio eletrônico, e mailadres, e post, epost, e postadress, e mail adres, epost adresse, \
            e postadresse, sähköposti, sähköpostiosoite, adres e mail, adres email, poczta elektroniczna, \
            e mailová adresa, emailová adresa, e mail cím, email cím, adresă de email, adresa de email, \
            имейл, имейл адрес, ел поща, електронна поща, эл почта, электронная почта, почта, \
            e mail адрес, ел пошта, електронна пошта, ηλεκτρονικό ταχυδρομείο, διεύθυνση email, e posta, \
            e posta adresi, eposta, メール, メールアドレス, eメール, 邮箱, 电子邮件, 电子邮箱, 邮件, \
            電子郵件, 電郵, 信箱, 이메일, 메일, 전자우편, דוא ל, דואר אלקטרוני, אימייל, מייל, \
            البريد الإلكتروني, البريد الالكتروني, ايميل, إيميل",
        paths: "email, contactPoint.email, applicationContact.email, employmentUnit.email",
        metas: "og:email, business:contact_data:email, contact:email, reply-to",
        ..ROW
    },
    Row {
        form: ValueForm::Phone,
        names: "phone, telephone, phone number, telephone number, tel, telefon, téléphone, teléfono, \
            telefono, mobile, mobile number, cell phone, cell, contact number, contact phone, call us, \
            phones, hotline, telefonnummer, telefonnr, rufnummer, handy, handynummer, mobil, mobilnummer, \
            mobiltelefon, numéro de téléphone, tél, portable, téléphone portable, número de teléfono, \
            móvil, celular, teléfono móvil, numero di telefono, cellulare, recapito telefonico, telefone, \
            número de telefone, telemóvel, telefones, telefoonnummer, telefoon, mobiel, telnr, tfn, tlf, \
            tlf nr, puhelin, puhelinnumero, puh, matkapuhelin, numer telefonu, telefony, nr telefonu, \
            komórka, tel kom, telefonní číslo, telefonní kontakt, mobilní telefon, telefónne číslo, \
            telefónny kontakt, telefonszám, mobiltelefonszám, număr de telefon, numar de telefon, mobilul, \
            телефон, телефони, мобилен телефон, мобилен, телефоны, номер телефона, контактный телефон, \
            мобильный, моб, номер телефону, контактний телефон, мобільний, τηλέφωνο, τηλ, κινητό, \
            τηλέφωνα, αριθμός τηλεφώνου, telefon numarası, cep telefonu, gsm, 電話, 電話番号, お電話, \
            携帯電話, 电话, 联系电话, 手机, 电话号码, 聯絡電話, 電話號碼, 手機, 전화, 전화번호, 연락처, \
            휴대폰, 대표전화, טלפון, נייד, טל, מספר טלפון, الهاتف, رقم الهاتف, هاتف, تليفون, الجوال, جوال, \
            موبايل",
        paths: "telephone, contactPoint.telephone, applicationContact.telephone",
        metas: "og:phone_number, business:contact_data:phone_number, contact:phone_number",
        ..ROW
    },
    Row {
        form: ValueForm::Phone,
        names: "fax, fax number, telefax, faxnummer, télécopie, numéro de fax, fax nummer, faks, \
            numer faksu, faxové číslo, факс, φαξ, ファックス, ファクス, 传真, 傳真, 팩스, פקס, فاكس, \
            الفاكس",
        paths: "faxNumber, contactPoint.faxNumber",
        metas: "business:contact_data:fax_number",
        ..ROW
    },
    Row {
        form: ValueForm::Place,
        names: "address, full address, postal address, venue address, location address, mailing address, \
            company address, visiting address, addresses, adresse, anschrift, postanschrift, \
            firmenanschrift, veranstaltungsadresse, adresse postale, adresse complète, dirección, \
            dirección postal, domicilio, indirizzo, indirizzo postale, sede legale, endereço, \
            endereço completo, morada, adres, bezoekadres, postadres, adress, besöksadress, postadress, \
            besøgsadresse, postadresse, besøksadresse, osoite, käyntiosoite, postiosoite, adresy, \
            siedziba, adresa, kontaktní adresa, sídlo, cím, székhely, postacím, adresa noastră, sediu, \
            sediul, адрес, адрес за кореспонденция, адреса, юридический адрес, почтовый адрес, \
            юридична адреса, διεύθυνση, ταχυδρομική διεύθυνση, έδρα, açık adres, adresi, 住所, 所在地住所, \
            会場住所, アクセス住所, 地址, 公司地址, 详细地址, 联系地址, 聯絡地址, 주소, 소재지, \
            사업장 주소, כתובת, כתובת מלאה, العنوان, عنوان الشركة, العنوان البريدي",
        labels: "location, standort, sede, τοποθεσία, 所在地",
        paths: "location.address, address, jobLocation.address, contactPoint.address, address.streetAddress",
        metas: "og:address",
        ..ROW
    },
    Row {
        names: "street address, street, address line 1, street and number, address line, straße, strasse, \
            straße und hausnummer, rue, calle, via, rua, logradouro, straat, straat en huisnummer, \
            straatnaam, gata, gatuadress, gade, vej, gateadresse, gate, katuosoite, katu, ulica, ulice, \
            ulica a číslo, utca, strada, stradă, улица, вулиця, οδός, sokak, cadde, 番地, 街道, 详细街道, \
            街道地址, 도로명주소, רחוב, الشارع",
        paths: "address.streetAddress, location.address.streetAddress, jobLocation.address.streetAddress, \
            streetAddress",
        metas: "og:street-address, business:contact_data:street_address",
        ..ROW
    },
    Row {
        names: "city, town, locality, address locality, municipality, stadt, wohnort, ville, ciudad, \
            población, municipio, città, cidade, município, stad, woonplaats, gemeente, stad ort, kommun, \
            kommune, poststed, kaupunki, kunta, miejscowość, miasto, město, obec, mesto, város, település, \
            oraș, localitate, град, населено място, город, населенный пункт, місто, населений пункт, πόλη, \
            şehir, ilçe, 市区町村, 都市, 城市, 所在城市, 縣市, 도시, 시군구, עיר, יישוב, المدينة, مدينة",
        labels: "ort, plaats, commune, comune, gemeinde",
        paths: "address.addressLocality, location.address.addressLocality, \
            jobLocation.address.addressLocality, addressLocality",
        metas: "og:locality, business:contact_data:locality, geo.placename",
        ..ROW
    },
    Row {
        names: "region, province, address region, federal state, bundesland, kanton, région, \
            département région, provincia, comunidad autónoma, regione, provincie, regio, landskap, fylke, \
            maakunta, województwo, megye, județ, регион, област, регион проживания, περιφέρεια, νομός, \
            bölge, 都道府県, 地域, 省份, 地区, 地區, 지역, 시도, אזור, מחוז, المنطقة, المحافظة, الإقليم",
        labels: "state, county, län, okres, 省, область, край",
        paths: "address.addressRegion, location.address.addressRegion, jobLocation.address.addressRegion, \
            addressRegion",
        metas: "og:region, business:contact_data:region, geo.region",
        ..ROW
    },
    Row {
        names: "postal code, zip code, postcode, post code, plz, postleitzahl, code postal, código postal, \
            postnummer, postinumero, kod pocztowy, psč, irányítószám, cod poștal, пощенски код, \
            почтовый индекс, индекс, поштовий індекс, ταχυδρομικός κώδικας, τ κ, posta kodu, 郵便番号, \
            邮编, 邮政编码, 郵遞區號, 우편번호, מיקוד, الرمز البريدي",
        labels: "cap, zip, cep",
        paths: "address.postalCode, location.address.postalCode, jobLocation.address.postalCode, postalCode",
        metas: "og:postal-code, business:contact_data:postal_code",
        ..ROW
    },
    Row {
        names: "country, country name, address country, pays, país, paese, nazione, země, krajina, ország, \
            țară, țara, държава, страна, країна, χώρα, ülke, 国名, 国家, 國家, 국가, 나라, מדינה, ארץ, \
            البلد, الدولة, بلد",
        labels: "kraj, nation, stat, land, maa, stát, štát, 国",
        paths: "address.addressCountry.name, address.addressCountry, location.address.addressCountry.name, \
            location.address.addressCountry, jobLocation.address.addressCountry.name, \
            jobLocation.address.addressCountry, addressCountry",
        metas: "og:country-name, business:contact_data:country_name",
        ..ROW
    },
    Row {
        form: ValueForm::Number,
        names: "latitude, lat, geo lat, breitengrad, latitud, latitudine, breedtegraad, leveysaste, \
            szerokość geograficzna, zeměpisná šířka, szélességi fok, широта, географска ширина, \
            γεωγραφικό πλάτος, enlem, 緯度, 纬度, 위도, קו רוחב, خط العرض",
        paths: "geo.latitude, location.geo.latitude, latitude",
        metas: "place:location:latitude, og:latitude",
        ..ROW
    },
    Row {
        form: ValueForm::Number,
        names: "longitude, lng, geo long, längengrad, longitud geográfica, longitudine, lengtegraad, \
            pituusaste, długość geograficzna, zeměpisná délka, hosszúsági fok, долгота, \
            географска дължина, довгота, γεωγραφικό μήκος, boylam, 経度, 经度, 經度, 경도, קו אורך, \
            خط الطول",
        labels: "long, lon",
        paths: "geo.longitude, location.geo.longitude, longitude",
        metas: "place:location:longitude, og:longitude",
        ..ROW
    },
    Row {
        names: "opening hours, open hours, business hours, hours of operation, opening times, \
            office hours, store hours, öffnungszeiten, geschäftszeiten, sprechzeiten, bürozeiten, \
            horaires d ouverture, heures d ouverture, horario de apertura, horario de atención, \
            horario comercial, orari di apertura, orario di apertura, horário de funcionamento, \
            horário de atendimento, horário de abertura, openingstijden, openingsuren, öppettider, \
            åbningstider, åpningstider, aukioloajat, aukiolo, godziny otwarcia, otevírací doba, \
            otváracia doba, otváracie hodiny, nyitvatartás, nyitva tartás, nyitvatartási idő, \
            program de funcționare, orar de funcționare, работно време, режим работы, часы приема, \
            години роботи, графік роботи, режим роботи, ώρες λειτουργίας, ωράριο, ωράριο λειτουργίας, \
            çalışma saatleri, açılış saatleri, 営業時間, 開館時間, 診療時間, 营业时间, 开放时间, 營業時間, \
            開放時間, 영업시간, 운영시간, 진료시간, שעות פתיחה, שעות פעילות, ساعات العمل الرسمية, \
            أوقات العمل, مواعيد العمل",
        labels: "program, orar, hours, horaires, horarios, orari",
        paths: "openingHours, openingHoursSpecification.opens, location.openingHours",
        metas: "business:hours",
        ..ROW
    },
    Row {
        names: "legal name, official name, registered name, firmenwortlaut, rechtlicher name, \
            raison sociale, dénomination sociale, razón social, denominación social, ragione sociale, \
            denominazione sociale, razão social, denominação social, handelsnaam, statutaire naam, \
            juridiskt namn, juridisk navn, virallinen nimi, pełna nazwa, nazwa prawna, obchodní firma, \
            obchodní jméno, obchodné meno, hivatalos név, denumire legală, denumire juridică, \
            юридическо име, полное наименование, юридическое лицо, юридична назва, νομική επωνυμία, \
            ticari unvan, ticaret unvanı, 正式名称, 商号, 企业全称, 법인명, 상호, 상호명, שם משפטי, \
            الاسم القانوني",
        paths: "legalName, name",
        ..ROW
    },
    Row {
        form: ValueForm::Date,
        names: "founded, founding date, founded on, founded in, foundation date, established, \
            year founded, year established, founding year, date of foundation, since year, gründungsdatum, \
            gegründet, gründungsjahr, gründung, fondée en, fondé en, date de création de l entreprise, \
            année de création, fundada, fundado, año de fundación, fecha de fundación, fondata, fondato, \
            anno di fondazione, fundada em, ano de fundação, opgericht, oprichting, oprichtingsjaar, \
            grundat, grundades, grundlagt, stiftet, stiftelsesår, etableret, etablert, perustettu, \
            perustamisvuosi, rok założenia, założona, data założenia, założono, založeno, rok založení, \
            datum založení, založené, rok založenia, alapítva, alapítás éve, alapítás, fondată, \
            înființată, anul înființării, основана, година на основаване, дата основания, год основания, \
            основано, основан, рік заснування, засновано, έτος ίδρυσης, ίδρυση, kuruluş, kuruluş yılı, \
            kuruluş tarihi, 設立, 設立日, 創業, 設立年月日, 成立时间, 成立日期, 成立於, 創立, 설립일, \
            설립연도, שנת הקמה, נוסדה, تأسست, تاريخ التأسيس, سنة التأسيس",
        labels: "création, fundación, fondazione, fundação, 설립",
        paths: "foundingDate",
        ..ROW
    },
    Row {
        form: ValueForm::Names,
        names: "founder, founders, founded by, co founder, gründer, gründerin, gegründet von, fondateur, \
            fondatrice, fondateurs, fundador, fundadora, fundadores, fondatore, fondatori, oprichter, \
            oprichters, grundare, grundlægger, stifter, perustaja, założyciel, założyciele, zakladatel, \
            zakladateľ, alapító, alapítók, fondator, основател, основатели, основатель, засновник, \
            ιδρυτής, ιδρυτές, kurucu, kurucusu, 創業者, 創設者, 创始人, 創辦人, 설립자, 창업자, מייסד, \
            מייסדים, المؤسس, المؤسسون",
        paths: "founder.name, founder, founders.name",
        ..ROW
    },
    Row {
        form: ValueForm::Count,
        names: "employees, number of employees, employee count, num employees, company size, staff count, \
            team size, mitarbeiter, anzahl mitarbeiter, mitarbeiterzahl, beschäftigte, unternehmensgröße, \
            effectifs, nombre d employés, nombre de salariés, empleados, número de empleados, \
            tamaño de la empresa, dipendenti, numero di dipendenti, funcionários, número de funcionários, \
            número de empregados, medewerkers, aantal medewerkers, werknemers, anställda, antal anställda, \
            ansatte, antal ansatte, medarbejdere, antall ansatte, työntekijät, henkilöstö, \
            henkilöstömäärä, pracownicy, liczba pracowników, počet zaměstnanců, zaměstnanci, \
            počet zamestnancov, zamestnanci, alkalmazottak, alkalmazottak száma, létszám, angajați, \
            număr de angajați, служители, брой служители, сотрудники, количество сотрудников, \
            число сотрудников, кількість співробітників, співробітники, εργαζόμενοι, αριθμός εργαζομένων, \
            çalışan sayısı, 従業員数, 社員数, 员工人数, 公司规模, 员工数, 員工人數, 公司規模, 직원수, \
            사원수, 임직원수, עובדים, מספר עובדים, عدد الموظفين, الموظفون",
        labels: "штат, effectif",
        paths: "numberOfEmployees.value, numberOfEmployees",
        ..ROW
    },
    Row {
        form: ValueForm::Code,
        names: "vat id, vat number, vat no, tax id, tax number, vat registration number, company number, \
            registration number, company registration number, ust idnr, ust id, umsatzsteuer id, \
            umsatzsteuer identifikationsnummer, steuernummer, uid nummer, handelsregisternummer, \
            numéro de tva, tva intracommunautaire, n tva, siret, numéro siret, nif, cif, cif nif, \
            número de iva, partita iva, p iva, codice fiscale, cnpj, nipc, btw nummer, kvk, kvk nummer, \
            ondernemingsnummer, organisationsnummer, org nr, orgnr, momsregistreringsnummer, momsnummer, \
            cvr, cvr nr, cvr nummer, se nr, organisasjonsnummer, mva nummer, y tunnus, alv tunnus, \
            numer nip, regon, ičo, dič, ič dph, adószám, cégjegyzékszám, közösségi adószám, cod fiscal, \
            cod unic de înregistrare, ддс номер, еик, булстат, идент номер, инн, огрн, кпп, єдрпоу, іпн, \
            αφμ, α φ μ, αρ γεμη, vergi no, vergi numarası, mersis no, 法人番号, 登録番号, 統一編號, 税号, \
            统一社会信用代码, 사업자등록번호, 사업자번호, עוסק מורשה, ח פ, מספר חברה, الرقم الضريبي, \
            السجل التجاري",
        labels: "uid, vat, btw, nip, cui, siren, krs, ič",
        paths: "vatID, taxID, identifier.value",
        ..ROW
    },
    Row {
        names: "price range, price level, price category, preisklasse, preisspanne, gamme de prix, \
            fourchette de prix, rango de precios, fascia di prezzo, faixa de preço, prijsklasse, \
            prisklass, prisniveau, prisklasse, hintataso, przedział cenowy, cenová kategorie, \
            cenová kategória, árkategória, interval de preț, ценови диапазон, ценовой диапазон, \
            ціновий діапазон, εύρος τιμών, fiyat aralığı, 価格帯, 价格区间, 價格範圍, 가격대, טווח מחירים, \
            نطاق السعر",
        paths: "priceRange",
        metas: "restaurant:price_rating, place:price_range",
        ..ROW
    },
    Row {
        names: "amenities, facilities, ausstattung, annehmlichkeiten, équipements, instalaciones, \
            equipamiento, comodidades, dotazioni, comodità, faciliteiten, voorzieningen, bekvämligheter, \
            faciliteter, fasiliteter, mukavuudet, udogodnienia, wyposażenie, vybavení, vybavenie, \
            felszereltség, szolgáltatások, facilități, удобства, оборудване, зручності, \
            παροχές καταλύματος, ανέσεις, olanaklar, 設備, アメニティ, 设施, 配套设施, 設施, 편의시설, \
            부대시설, מתקנים, المرافق, وسائل الراحة",
        labels: "services, equipment, servicios, servizi, palvelut, özellikler, prestations, dotări",
        paths: "amenityFeature.name, amenityFeature",
        ..ROW
    },
    Row {
        names: "check in, check in time, checkin time, checkin, check in from, anreise, arrivée, \
            hora de entrada, orario di check in, horário de check in, inchecken, incheckning, indtjekning, \
            innsjekking, sisäänkirjautuminen, zameldowanie, příjezd, bejelentkezés, заезд, настаняване, \
            заїзд, άφιξη, giriş saati, チェックイン, 入住时间, 체크인, צ ק אין, تسجيل الوصول",
        paths: "checkinTime",
        ..ROW
    },
    Row {
        names: "check out, check out time, checkout time, check out until, abreise, départ, \
            hora de salida, orario di check out, horário de check out, uitchecken, utcheckning, \
            udtjekning, utsjekking, uloskirjautuminen, wymeldowanie, odjezd, kijelentkezés, выезд, \
            напускане, виїзд, αναχώρηση, çıkış saati, チェックアウト, 退房时间, 체크아웃, צ ק אאוט, \
            تسجيل المغادرة",
        paths: "checkoutTime",
        ..ROW
    },
    Row {
        labels: "organization, company, company name, organization name, organisation, organisation name, \
            business, business name, firm, firma, firmenname, unternehmen, entreprise, société, \
            nom de l entreprise, empresa, nombre de la empresa, azienda, nome azienda, nome da empresa, \
            bedrijf, bedrijfsnaam, företag, företagsnamn, virksomhed, virksomhet, bedrift, yritys, \
            yrityksen nimi, nazwa firmy, název firmy, společnost, názov firmy, cégnév, nume companie, \
            numele companiei, фирма, компания, название компании, компанія, επωνυμία, şirket adı, 会社名, \
            社名, 公司名称, 公司名稱, 회사명, 상호명, שם החברה, اسم الشركة",
        paths: "name, legalName",
        metas: "og:site_name, og:title",
        broader: "name",
        ..ROW
    },
];
