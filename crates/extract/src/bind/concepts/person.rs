//! Persons.

use super::{ROW, Row};
use crate::normalise::ValueForm;

pub(super) const ROWS: &[Row] = &[
    Row {
        labels: "job title, title, position, role, occupation, profession, function, designation, \
            position title, work title, beruf, funktion, position im unternehmen, berufsbezeichnung, \
            tätigkeit, fonction, poste, profession exercée, métier, cargo, puesto, ocupación, profesión, \
            ruolo, qualifica, professione, incarico, função, profissão, functie, beroep, rol, yrke, \
            befattning, titel, stilling, erhverv, yrkestittel, ammatti, nimike, titteli, tehtävänimike, \
            stanowisko, funkcja, zawód, pozice, funkce, povolání, pozícia, funkcia, povolanie, beosztás, \
            pozíció, foglalkozás, funcție, profesie, ocupație, длъжност, професия, позиция, должность, \
            профессия, посада, професія, ιδιότητα, επάγγελμα, θέση, unvan, görev, meslek, ünvan, 役職, \
            肩書き, 職業, 職務, 职务, 职位, 职称, 職稱, 職務名稱, 직책, 직위, 직업, תפקיד, מקצוע, المنصب, \
            المسمى الوظيفي, المهنة",
        paths: "jobTitle, hasOccupation.name, roleName, hasOccupation",
        metas: "profile:job_title",
        ..ROW
    },
    Row {
        names: "first name, given name, forename, firstname, vorname, prénom, nombre de pila, \
            primer nombre, nome di battesimo, primeiro nome, voornaam, förnamn, fornavn, etunimi, imię, \
            jméno křestní, křestní jméno, krstné meno, keresztnév, utónév, prenume, собствено име, \
            имя собственное, ім я, όνομα μικρό, 名字, 이름만, שם פרטי, الاسم الأول",
        paths: "givenName",
        metas: "profile:first_name, business:contact_data:first_name",
        ..ROW
    },
    Row {
        names: "last name, family name, surname, lastname, nachname, familienname, nom de famille, \
            apellido, apellidos, cognome, sobrenome, apelido, último nome, achternaam, familienaam, \
            efternamn, efternavn, etternavn, sukunimi, nazwisko, příjmení, priezvisko, vezetéknév, \
            családnév, nume de familie, фамилно име, фамилия, прізвище, επώνυμο, soyadı, soyad, 姓, 苗字, \
            姓氏, 성, שם משפחה, اسم العائلة",
        paths: "familyName",
        metas: "profile:last_name",
        ..ROW
    },
    Row {
        names: "biography, bio, about the author, author bio, short bio, biografie, lebenslauf, \
            über den autor, biographie, à propos de l auteur, biografía, sobre el autor, biografia, \
            sull autore, sobre o autor, over de auteur, om författaren, biografi, om forfatteren, \
            elämäkerta, biogram, o autorze, životopis, o autorovi, életrajz, önéletrajz, a szerzőről, \
            биография, за автора, об авторе, біографія, про автора, βιογραφικό, βιογραφία, özgeçmiş, \
            biyografi, プロフィール, 略歴, 经歴, 个人简介, 作者简介, 個人簡介, 약력, 소개글, ביוגרפיה, \
            קורות חיים, نبذة, السيرة الذاتية",
        paths: "description, disambiguatingDescription",
        metas: "og:description, description",
        broader: "description",
        ..ROW
    },
    Row {
        form: ValueForm::Date,
        names: "birth date, date of birth, birthday, born, dob, birthdate, geburtsdatum, geboren, \
            geboren am, geburtstag, date de naissance, né le, née le, fecha de nacimiento, nacido, nació, \
            data di nascita, nato, nata, data de nascimento, nascido, geboortedatum, födelsedatum, född, \
            fødselsdato, født, syntymäaika, syntynyt, data urodzenia, urodzony, urodzona, datum narození, \
            narozen, narozena, dátum narodenia, narodený, születési dátum, született, születési idő, \
            data nașterii, născut, дата на раждане, роден, дата рождения, родился, родилась, \
            дата народження, народився, ημερομηνία γέννησης, γέννηση, doğum tarihi, doğum, 生年月日, \
            誕生日, 出生日期, 生日, 생년월일, תאריך לידה, נולד, تاريخ الميلاد, تاريخ الولادة",
        labels: "naissance, nascita, nascimento, nacimiento, 出生, 출생",
        paths: "birthDate",
        ..ROW
    },
    Row {
        form: ValueForm::Place,
        names: "birth place, place of birth, birthplace, geburtsort, lieu de naissance, \
            lugar de nacimiento, luogo di nascita, local de nascimento, naturalidade, geboorteplaats, \
            födelseort, fødested, syntymäpaikka, miejsce urodzenia, místo narození, miesto narodenia, \
            születési hely, locul nașterii, място на раждане, место рождения, місце народження, \
            τόπος γέννησης, doğum yeri, 出身地, 出生地, 출생지, 고향, מקום לידה, مكان الميلاد, \
            مكان الولادة",
        paths: "birthPlace.name, birthPlace.address, birthPlace",
        ..ROW
    },
    Row {
        form: ValueForm::Date,
        names: "death date, date of death, died, gestorben, todesdatum, sterbedatum, date de décès, décès, \
            fecha de fallecimiento, fallecido, fallecimiento, data di morte, data de morte, falecimento, \
            overlijdensdatum, overleden, dödsdatum, avliden, dødsdato, kuollut, kuolinaika, data śmierci, \
            zmarł, datum úmrtí, zemřel, dátum úmrtia, elhunyt, halál dátuma, data decesului, decedat, \
            дата на смърт, починал, дата смерти, умер, дата смерті, помер, ημερομηνία θανάτου, θάνατος, \
            ölüm tarihi, ölüm, 没年月日, 死没, 逝世日期, 去世, 사망, 사망일, תאריך פטירה, تاريخ الوفاة, \
            الوفاة",
        labels: "mort, morte, deceased",
        paths: "deathDate",
        ..ROW
    },
    Row {
        names: "nationality, citizenship, nationalität, staatsangehörigkeit, nationalité, nacionalidad, \
            nazionalità, cittadinanza, nacionalidade, nationaliteit, nationalitet, nasjonalitet, \
            kansalaisuus, narodowość, obywatelstwo, národnost, státní příslušnost, národnosť, nemzetiség, \
            állampolgárság, naționalitate, cetățenie, националност, гражданство, национальность, \
            національність, громадянство, εθνικότητα, υπηκοότητα, uyruk, uyruğu, 国籍, 國籍, 국적, לאום, \
            אזרחות, الجنسية",
        paths: "nationality.name, nationality",
        ..ROW
    },
];
