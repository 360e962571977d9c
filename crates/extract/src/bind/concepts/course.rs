//! Courses.

use super::{ROW, Row};
use crate::normalise::ValueForm;

pub(super) const ROWS: &[Row] = &[
    Row {
        names: "provider, provider name, offered by, course provider, institution, university, \
            anbieter des kurses, kursanbieter, bildungsanbieter, bildungsträger, hochschule, \
            établissement, organisme de formation, université, institución, universidad, proveedor, \
            istituto, ente erogatore, università, instituição, universidade, aanbieder, opleider, \
            onderwijsinstelling, utbildningsanordnare, anordnare, udbyder, uddannelsessted, tilbyder, \
            studiested, palveluntarjoaja, oppilaitos, korkeakoulu, dostawca, uczelnia, \
            organizator szkolenia, poskytovatel, univerzita, poskytovateľ, képző intézmény, intézmény, \
            egyetem, furnizor, instituție, universitate, доставчик, университет, учебное заведение, вуз, \
            заклад освіти, навчальний заклад, πάροχος, φορέας, πανεπιστήμιο, sağlayıcı, kurum adı, \
            üniversite, 提供元, 主催団体, 学校名, 大学, 提供者, 院校, 機構, 大學, 제공기관, 교육기관, ספק, \
            מוסד, אוניברסיטה, المزود, مقدم الدورة, الجامعة, المؤسسة",
        labels: "school, schule, école, centro, skola, skole, škola, szkoła, iskola, okul, 学校, 학교, \
            escola, institute",
        paths: "provider.name, provider, hasCourseInstance.organizer.name, sourceOrganization.name",
        ..ROW
    },
    Row {
        names: "level, course level, educational level, study level, kursniveau, lernniveau, \
            niveau du cours, nivel del curso, livello del corso, nível do curso, cursusniveau, kursnivå, \
            kurssin taso, poziom, poziom kursu, úroveň, úroveň kurzu, szint, képzési szint, \
            nivelul cursului, ниво, ниво на курса, уровень, уровень курса, рівень, рівень курсу, επίπεδο, \
            επίπεδο μαθήματος, seviye, kurs seviyesi, düzey, レベル, 対象レベル, 级别, 课程级别, 等级, \
            課程等級, 난이도 수준, 레벨, רמה, רמת הקורס, المستوى, مستوى الدورة",
        labels: "nivel, nivå, taso, stufe, niveau, nível, livello, 程度, 수준",
        paths: "educationalLevel.name, educationalLevel",
        ..ROW
    },
    Row {
        form: ValueForm::Names,
        names: "instructor, instructors, teacher, teachers, taught by, course instructor, lecturer, tutor, \
            trainer, coach, dozent, dozentin, dozenten, kursleiter, kursleitung, lehrer, seminarleiter, \
            formateur, formatrice, formateurs, enseignant, enseignants, professeur, profesor, profesora, \
            profesores, docente, docentes, instructora, formador, docenti, insegnante, istruttore, \
            formatore, professor, professora, professores, instrutor, docent, docenten, kursleder, lärare, \
            kursledare, underviser, lærer, foreleser, kouluttaja, opettaja, luennoitsija, prowadzący, \
            wykładowca, nauczyciel, trener, lektor, vyučující, učitel, učiteľ, lektorka, školiteľ, oktató, \
            tanár, instructori, profesori, lector, преподавател, преподаватели, инструктор, преподаватель, \
            тренер, викладач, викладачі, інструктор, εισηγητής, καθηγητής, εκπαιδευτής, διδάσκων, eğitmen, \
            eğitmenler, öğretmen, 講師, インストラクター, 担当教員, 讲师, 授课教师, 主讲, 教师, 教師, \
            강사, 교수, 담당교수, מרצה, מורה, מדריך, المدرب, المدرس, المحاضر",
        paths: "instructor.name, hasCourseInstance.instructor.name, instructor, hasCourseInstance.instructor",
        ..ROW
    },
    Row {
        form: ValueForm::Code,
        names: "course code, course id, course number, module code, kursnummer, kurs nr, \
            veranstaltungsnummer, modulnummer, code du cours, référence formation, código del curso, \
            codice corso, código do curso, cursuscode, vakcode, kurskod, kursuskode, kurskode, \
            kurssikoodi, opintojakson tunnus, kod kursu, kód kurzu, kód předmětu, kód predmetu, \
            tantárgykód, kurzuskód, codul cursului, код на курса, код курса, код курсу, κωδικός μαθήματος, \
            ders kodu, kurs kodu, 科目コード, 課程代碼, 课程代码, 课程编号, 과목코드, מספר קורס, \
            رمز المقرر, رمز الدورة",
        paths: "courseCode",
        ..ROW
    },
    Row {
        names: "credential, certificate awarded, certification, educational credential, \
            qualification awarded, degree awarded, zertifikat, kursabschluss, certification obtenue, \
            titulación, certificado, titolo rilasciato, certificação, certificado do curso, certificaat, \
            certifikat, sertifikaatti, tutkinto, certyfikat, certifikát, tanúsítvány, certificare, \
            сертификат, сертифікат, πιστοποίηση, sertifika, 修了証, 证书, 證書, 수료증, תעודה, الشهادة",
        paths: "educationalCredentialAwarded.name, educationalCredentialAwarded",
        ..ROW
    },
    Row {
        names: "prerequisites, course prerequisites, entry requirements, admission requirements, \
            voraussetzungen, teilnahmevoraussetzungen, zugangsvoraussetzungen, prérequis, pré requis, \
            requisitos previos, prerrequisitos, prerequisiti, pré requisitos, voorkennis, toelatingseisen, \
            förkunskaper, forkunnskaper, forudsætninger, adgangskrav, esitiedot, wymagania wstępne, \
            předpoklady, vstupní požadavky, predpoklady, előfeltétel, előfeltételek, cerințe preliminare, \
            предварителни изисквания, необходимая подготовка, попередні вимоги, προαπαιτούμενα, \
            ön koşullar, 前提条件, 受講条件, 先修要求, 先決條件, 선수과목, 수강조건, דרישות קדם, \
            المتطلبات السابقة",
        paths: "coursePrerequisites.name, coursePrerequisites",
        ..ROW
    },
];
