//! Job postings.

use super::{ROW, Row};
use crate::normalise::ValueForm;

pub(super) const ROWS: &[Row] = &[
    Row {
        names: "vacancy, job title, vacancy title, position title, job name, job position, work title, \
            open position, job opening, stellenbezeichnung, stellentitel, jobtitel, berufsbezeichnung, \
            intitulé du poste, titre du poste, título del puesto, nombre del puesto, \
            titolo della posizione, título da vaga, functietitel, vacature, jobbtitel, yrkestitel, \
            stillingsbetegnelse, stillingstittel, tehtävänimike, työtehtävä, nazwa stanowiska, \
            pracovní pozice, název pozice, pracovná pozícia, názov pozície, munkakör, denumirea postului, \
            вакансия, вакансія, θέση εργασίας, iş unvanı, 職種, 募集職種, 职位名称, 職缺, 직무, 모집분야, \
            משרה, المسمى الوظيفي, الوظيفة",
        labels: "cargo, vaga, poste, puesto, posizione, functie, stilling, befattning, pozíció, позиция, \
            должность, посада, θέση, stanowisko, длъжност, pozisyon, 职位, 職位, 직책, תפקיד, title, \
            headline, position, role, titel, titre, job",
        paths: "title, name",
        metas: "og:title, twitter:title, title",
        broader: "name",
        ..ROW
    },
    Row {
        names: "company, company name, hiring organization, hiring organization name, hiring company, \
            employer, employer name, organization, organization name, organisation, organisation name, \
            business name, firm, workplace name, works for, affiliation, agency, unternehmen, firma, \
            arbeitgeber, firmenname, unternehmensname, name des unternehmens, entreprise, employeur, \
            société, nom de l entreprise, empresa, compañía, empleador, empleadora, nombre de la empresa, \
            azienda, società, datore di lavoro, nome azienda, empregador, nome da empresa, bedrijf, \
            werkgever, bedrijfsnaam, organisatie, företag, arbetsgivare, företagsnamn, virksomhed, \
            arbejdsgiver, bedrift, arbeidsgiver, virksomhet, yritys, työnantaja, pracodawca, nazwa firmy, \
            zaměstnavatel, společnost, název firmy, zamestnávateľ, spoločnosť, názov firmy, munkáltató, \
            cég, cégnév, vállalat, companie, angajator, nume companie, numele companiei, compania, фирма, \
            работодател, компания, работодатель, организация, название компании, компанія, роботодавець, \
            назва компанії, εταιρεία, εταιρία, εργοδότης, επωνυμία, şirket, işveren, şirket adı, kurum, \
            会社名, 企業名, 社名, 勤務先, 公司, 公司名称, 企业名称, 公司名稱, 雇主, 회사, 회사명, 기업명, \
            업체명, חברה, שם החברה, מעסיק, الشركة, اسم الشركة, صاحب العمل, جهة العمل",
        paths: "hiringOrganization.name, hiringOrganization, worksFor.name, worksFor, affiliation.name, \
            affiliation, memberOf.name, employmentAgent.name",
        ..ROW
    },
    Row {
        form: ValueForm::Place,
        names: "location, job location, work location, job place, place of work, workplace, \
            office location, event location, standort, arbeitsort, einsatzort, veranstaltungsort, \
            lieu de travail, localisation, lieu, ubicación, lugar de trabajo, localidad, lugar, \
            localización, luogo di lavoro, luogo, sede di lavoro, località, localização, \
            local de trabalho, localidade, locatie, standplaats, werklocatie, werkplek, arbetsort, \
            placering, arbetsplats, arbejdssted, lokation, sted, arbeidssted, lokasjon, sijainti, \
            työpaikan sijainti, työskentelypaikka, paikkakunta, lokalizacja, miejsce pracy, lokalita, \
            místo výkonu práce, místo, místo konání, miesto výkonu práce, miesto, miesto konania, \
            munkavégzés helye, helyszín, locație, loc de muncă, locul de desfășurare, locul, \
            място на работа, местоположение, локация, място, место работы, место проведения, місце роботи, \
            місце, місце проведення, розташування, τοποθεσία, τόπος εργασίας, τόπος, περιοχή, konum, \
            çalışma yeri, iş yeri, 勤務地, 所在地, 場所, 就業場所, 工作地点, 地点, 工作地點, 地點, 근무지, \
            근무지역, 위치, 장소, מיקום, מקום עבודה, מיקום המשרה, الموقع, موقع العمل, مكان العمل, المكان",
        labels: "ort, plats, miasto, place, local, sede, where, hely, yer, место",
        paths: "jobLocation.address, jobLocation.name, jobLocation, location.address, location.name, \
            location, contentLocation.name, jobLocation.address.addressLocality, address",
        metas: "og:locality",
        ..ROW
    },
    Row {
        form: ValueForm::Term,
        names: "employment type, job type, contract type, type of employment, type of contract, work type, \
            working time, schedule type, work schedule, beschäftigungsart, anstellungsart, \
            art der anstellung, vertragsart, arbeitsverhältnis, arbeitszeitmodell, anstellungsverhältnis, \
            beschäftigungsverhältnis, type de contrat, type d emploi, type de poste, tipo de contrato, \
            tipo de empleo, jornada laboral, tipo de jornada, tipo di contratto, tipo di impiego, \
            tipologia contrattuale, tipo de emprego, tipo de vaga, regime de contratação, dienstverband, \
            contractvorm, soort dienstverband, contracttype, anställningsform, anställningstyp, \
            ansættelsesform, ansættelsestype, jobtype, ansettelsesform, stillingstype, heltid deltid, \
            työsuhde, työsuhteen tyyppi, työaika, työn luonne, rodzaj umowy, typ umowy, \
            forma zatrudnienia, wymiar pracy, wymiar etatu, rodzaj zatrudnienia, typ úvazku, úvazek, \
            pracovní úvazek, typ pracovního poměru, druh pracovného pomeru, typ úväzku, pracovný pomer, \
            foglalkoztatás típusa, munkaviszony, munkarend, foglalkoztatás jellege, tip contract, tip job, \
            tip de angajare, tipul postului, вид заетост, тип заетост, заетост, вид договор, \
            тип занятости, занятость, вид занятости, график работы, тип зайнятості, зайнятість, \
            вид зайнятості, είδος απασχόλησης, τύπος απασχόλησης, απασχόληση, çalışma şekli, çalışma türü, \
            istihdam türü, 雇用形態, 勤務形態, 工作性质, 工作类型, 职位类型, 工作性質, 雇傭類型, 고용형태, \
            근무형태, סוג משרה, היקף משרה, نوع الوظيفة, نوع العمل, نوع التوظيف, نوع الدوام, نوع العقد",
        labels: "regime, jornada, employment, position type, contrat, contratto, omfattning",
        paths: "employmentType",
        ..ROW
    },
    Row {
        form: ValueForm::Date,
        names: "valid through, deadline, application deadline, apply by, apply before, expires, \
            expiry date, expiration date, closing date, closes, closes on, closing, last application date, \
            applications close, job expires, end of application, valid until, bewerbungsschluss, \
            bewerbungsfrist, bewerben bis, einsendeschluss, gültig bis, frist, date limite, \
            date limite de candidature, date de clôture, expire le, clôture, fecha límite, \
            fecha de cierre, plazo de solicitud, fecha de vencimiento, válido hasta, data di scadenza, \
            scadenza, candidarsi entro, termine di candidatura, data limite, prazo, prazo de inscrição, \
            inscrições até, data de encerramento, válido até, sluitingsdatum, solliciteren tot, \
            reageren voor, vacature sluit op, sista ansökningsdag, sista ansökningsdatum, ansök senast, \
            ansøgningsfrist, frist for ansøgning, søknadsfrist, hakuaika päättyy, viimeinen hakupäivä, \
            haku päättyy, termin składania ofert, termin aplikowania, ważne do, data ważności, \
            oferta ważna do, aplikuj do, uzávěrka, platnost do, uzávěrka přihlášek, termín přihlášek, \
            uzávierka, platné do, termín prihlášok, jelentkezési határidő, határidő, érvényes, \
            data limită, termen limită, expiră, termen de aplicare, срок за кандидатстване, краен срок, \
            валидна до, срок подачи, срок действия, действительно до, крайний срок, термін подання, \
            дійсна до, кінцевий термін, προθεσμία, λήξη, λήξη αιτήσεων, son başvuru tarihi, son tarih, \
            bitiş tarihi, 応募締切, 締切, 締切日, 掲載終了日, 募集期限, 截止日期, 截止时间, 有效期至, \
            截止日, 마감일, 접수마감, 마감, תאריך אחרון להגשה, מועד אחרון, بتוקף עד, آخر موعد للتقديم, \
            الموعد النهائي, تاريخ الانتهاء, آخر موعد",
        paths: "validThrough, applicationDeadline, offers.validThrough, endDate",
        ..ROW
    },
    Row {
        form: ValueForm::Price,
        names: "salary, base salary, pay, wage, wages, compensation, remuneration, salary range, \
            annual salary, monthly salary, yearly salary, hourly rate, pay rate, hourly wage, salary text, \
            gehalt, gehaltsspanne, jahresgehalt, monatsgehalt, vergütung, lohn, bezahlung, verdienst, \
            stundenlohn, einstiegsgehalt, salaire, rémunération, salaire annuel, salario, sueldo, \
            retribución, rango salarial, stipendio, retribuzione, salário, remuneração, faixa salarial, \
            salaris, salarisindicatie, loon, lön, månadslön, lønn, løn, årslønn, palkka, palkkaus, \
            wynagrodzenie, pensja, zarobki, płaca, mzda, platové ohodnocení, výše mzdy, \
            základná zložka mzdy, fizetés, bér, bruttó fizetés, salariu, salariul, salariu oferit, \
            заплата, възнаграждение, зарплата, заработная плата, оклад, зарплатня, заробітна плата, \
            μισθός, αμοιβή, αποδοχές, maaş, ücret, 給与, 月給, 年収, 時給, 給料, 想定年収, 报酬, 薪资, \
            薪水, 月薪, 工资, 薪資, 薪酬, 待遇, 급여, 연봉, 월급, 시급, שכר, משכורת, الراتب, الأجر, المرتب",
        labels: "plat",
        paths: "baseSalary.value.value, baseSalary.value.minValue, baseSalary.value, baseSalary.minValue, \
            baseSalary, estimatedSalary.median, estimatedSalary.value.value",
        ..ROW
    },
    Row {
        form: ValueForm::Price,
        names: "salary min, min salary, minimum salary, salary from, lowest salary, salary minimum, \
            salary lower bound, pay min, salary low, mindestgehalt, gehalt ab, gehalt von, \
            salaire minimum, salaire minimal, salario mínimo, stipendio minimo, salário mínimo, \
            minimumsalaris, minimilön, minimumsløn, wynagrodzenie od, mzda od, plat od, salariu minim, \
            минимална заплата, зарплата от, минимальная зарплата, asgari maaş, 最低給与, 最低薪资, \
            최저연봉",
        paths: "baseSalary.value.minValue, baseSalary.minValue, estimatedSalary.minValue, \
            estimatedSalary.percentile10",
        ..ROW
    },
    Row {
        form: ValueForm::Price,
        names: "salary max, max salary, maximum salary, salary to, highest salary, salary maximum, \
            salary upper bound, pay max, salary high, höchstgehalt, gehalt bis, salaire maximum, \
            salaire maximal, salario máximo, stipendio massimo, salário máximo, maximumsalaris, maxlön, \
            wynagrodzenie do, mzda do, plat do, salariu maxim, максимална заплата, зарплата до, \
            максимальная зарплата, azami maaş, 最高給与, 最高薪资, 최고연봉",
        paths: "baseSalary.value.maxValue, baseSalary.maxValue, estimatedSalary.maxValue, \
            estimatedSalary.percentile90",
        ..ROW
    },
    Row {
        form: ValueForm::Term,
        names: "salary period, salary unit, pay period, salary interval, salary frequency, pay frequency, \
            compensation period, rate unit, gehaltszeitraum, période de salaire, periodo salarial",
        paths: "baseSalary.value.unitText, baseSalary.unitText, estimatedSalary.duration",
        ..ROW
    },
    Row {
        form: ValueForm::Term,
        names: "remote, is remote, remote work, remote type, work mode, workplace type, work arrangement, \
            telecommute, home office, job location type, remote possible, homeoffice, heimarbeit, \
            télétravail, teletrabajo, modalidad, trabajo remoto, modalidad de trabajo, smart working, \
            lavoro da remoto, teletrabalho, trabalho remoto, modalidade, modelo de trabalho, thuiswerken, \
            hybride werken, distansarbete, hjemmekontor, hjemmearbejde, etätyö, praca zdalna, tryb pracy, \
            praca z domu, práce z domova, práca z domu, otthoni munka, távmunka, muncă la distanță, \
            работа от вкъщи, дистанционна работа, удалённая работа, удаленная работа, формат работы, \
            віддалена робота, дистанційна робота, τηλεργασία, uzaktan çalışma, uzaktan, çalışma modeli, \
            リモートワーク, 在宅勤務, 远程办公, 遠端工作, 재택근무, עבודה מהבית, עבודה מרחוק, عمل عن بعد, \
            العمل عن بعد",
        paths: "jobLocationType, applicantLocationRequirements.name",
        ..ROW
    },
    Row {
        names: "department, business unit, job function, area of work, abteilung, fachbereich, \
            tätigkeitsbereich, département, departamento, dipartimento, afdeling, vakgebied, avdelning, \
            avdeling, osasto, toimiala, dział, oddział, oddělení, oddelenie, osztály, szakterület, \
            departament, отдел, відділ, τμήμα, departman, 部署, 部門, 配属先, 部门, 所属部门, 부서, מחלקה, \
            الإدارة",
        labels: "function, team, bereich, área, setor, funzione, domeniu, напрямок, направление, division, \
            reparto",
        paths: "employmentUnit.name, hiringOrganization.department.name, occupationalCategory.name, \
            occupationalCategory",
        ..ROW
    },
    Row {
        names: "industry, sector, job industry, business sector, branche, industrie, secteur, \
            secteur d activité, sector de actividad, industria, settore, settore di attività, ramo, \
            indústria, ramo de atividade, sector industrial, bransch, bransje, branża, odvětví, obor, \
            odvetvie, iparág, ágazat, отрасль, сфера деятельности, отрасъл, сфера, бранш, галузь, \
            сфера діяльності, κλάδος, sektör, 業種, 業界, 行业, 所属行业, 產業, 行業, 업종, 산업, תחום, \
            ענף, القطاع, المجال, مجال العمل",
        paths: "industry.name, industry, hiringOrganization.industry, naics",
        ..ROW
    },
    Row {
        names: "experience, work experience, experience required, years of experience, experience level, \
            experience requirements, required experience, seniority level, career level, berufserfahrung, \
            erfahrung, karrierestufe, karrierelevel, expérience, niveau d expérience, années d expérience, \
            experiencia, años de experiencia, experiencia requerida, experiencia mínima, \
            nivel de experiencia, esperienza, anni di esperienza, livello di esperienza, experiência, \
            anos de experiência, nível de experiência, senioridade, ervaring, werkervaring, \
            carrièreniveau, ervaringsniveau, erfarenhet, arbetslivserfarenhet, erfaring, arbejdserfaring, \
            arbeidserfaring, kokemus, työkokemus, doświadczenie, poziom stanowiska, \
            wymagane doświadczenie, zkušenosti, požadovaná praxe, skúsenosti, tapasztalat, \
            munkatapasztalat, szakmai tapasztalat, experiență, nivel carieră, experiență necesară, опит, \
            трудов опит, опыт работы, опыт, требуемый опыт, досвід роботи, досвід, εμπειρία, προϋπηρεσία, \
            deneyim, tecrübe, iş tecrübesi, 経験, 経験年数, 经验, 工作经验, 工作年限, 工作經驗, 經驗, \
            경력, 경험, ניסיון, ניסיון נדרש, וותק, الخبرة, سنوات الخبرة, الخبرة المطلوبة",
        labels: "prax, praxe, seniority",
        paths: "experienceRequirements.monthsOfExperience, experienceRequirements.description, \
            experienceRequirements",
        ..ROW
    },
    Row {
        names: "education, education level, education requirements, required education, degree required, \
            minimum education, ausbildung, bildungsabschluss, niveau d études, niveau de formation, \
            diplôme, formación, estudios mínimos, nivel de estudios, educación, formación mínima, \
            titolo di studio, istruzione, livello di istruzione, escolaridade, formação acadêmica, \
            nível de escolaridade, opleidingsniveau, utbildning, utbildningsnivå, uddannelse, \
            uddannelsesniveau, utdanning, utdanningsnivå, koulutus, koulutustaso, wykształcenie, \
            poziom wykształcenia, vzdělání, požadované vzdělání, vzdelanie, požadované vzdelanie, \
            végzettség, iskolai végzettség, képzettség, nivel studii, nivel de studii, educație, \
            образование, степен на образование, требуемое образование, освіта, рівень освіти, εκπαίδευση, \
            επίπεδο εκπαίδευσης, σπουδές, eğitim, eğitim seviyesi, eğitim durumu, 学歴, 最終学歴, 学历, \
            学历要求, 教育程度, 學歷, 學歷要求, 학력, השכלה, תואר, المؤهل العلمي, التعليم, \
            المستوى التعليمي",
        labels: "degree, formation, estudios, formação, studii, opleiding, abschluss",
        paths: "educationRequirements.credentialCategory, educationRequirements.name, \
            educationRequirements, alumniOf.name",
        ..ROW
    },
    Row {
        form: ValueForm::Code,
        names: "job id, job reference, job ref, job code, job number, job no, requisition id, \
            requisition number, req id, req no, req number, posting id, vacancy id, vacancy number, \
            vacancy reference, vacancy code, job requisition id, job posting id, position number, \
            stellen id, stellennummer, kennziffer, referenznummer, job nr, stellen nr, \
            ausschreibungsnummer, référence de l offre, référence offre, numéro de l offre, \
            référence du poste, referencia de la oferta, número de vacante, id de la oferta, \
            código de la oferta, riferimento, codice offerta, rif annuncio, riferimento annuncio, \
            referência da vaga, código da vaga, vacaturenummer, referentienummer, annonsnummer, \
            referensnummer, referencenummer, jobnummer, referansenummer, finn kode, stillingsnummer, \
            numer oferty, nr oferty, numer referencyjny oferty, id oferty, číslo nabídky, \
            referenční číslo, číslo ponuky, referenčné číslo, hivatkozási szám, állás azonosító, \
            referencia szám, cod anunț, id job, номер на обявата, референтен номер, номер вакансии, \
            код вакансии, номер вакансії, κωδικός θέσης, κωδικός αγγελίας, ilan no, ilan numarası, \
            iş ilanı no, 求人番号, 求人id, 职位编号, 职位代码, 職缺代碼, 채용공고번호, 공고번호, \
            מספר משרה, קוד משרה, رقم الوظيفة, الرقم المرجعي, رقم الإعلان",
        paths: "identifier.value, identifier, jobReference",
        ..ROW
    },
    Row {
        form: ValueForm::Count,
        names: "number of openings, openings, number of positions, vacancies, number of vacancies, \
            total openings, headcount, anzahl stellen, nombre de postes, nombre de poste, \
            número de vacantes, número de vagas, numero di posti, aantal vacatures, antal platser, \
            antal stillinger, antall stillinger, liczba wakatów, liczba etatów, počet volných míst, \
            počet voľných miest, počet pozic, nyitott pozíciók száma, număr de posturi, брой позиции, \
            количество вакансий, кількість вакансій, αριθμός θέσεων, açık pozisyon sayısı, 募集人数, \
            採用人数, 招聘人数, 需求人數, 모집인원, 채용인원, عدد الشواغر, عدد الوظائف",
        labels: "positions, posti disponibili, vacantes",
        paths: "totalJobOpenings",
        ..ROW
    },
    Row {
        names: "responsibilities, duties, key responsibilities, your tasks, what you will do, \
            job responsibilities, aufgaben, ihre aufgaben, deine aufgaben, aufgabengebiet, vos missions, \
            responsabilités, responsabilidades, responsabilità, mansioni, verantwoordelijkheden, \
            werkzaamheden, arbetsuppgifter, ansvarsområden, arbejdsopgaver, arbeidsoppgaver, \
            ansvarsområder, työtehtävät, tehtävät, zakres obowiązków, obowiązki, twój zakres obowiązków, \
            náplň práce, pracovní náplň, főbb feladatok, responsabilități, задължения, отговорности, \
            обязанности, обов язки, αρμοδιότητες, καθήκοντα, sorumluluklar, iş tanımı, 仕事内容, 業務内容, \
            岗位职责, 工作职责, 工作內容, 담당업무, 주요업무, תיאור התפקיד, المسؤوليات, المهام",
        labels: "tasks, missions, attività, atividades, taken, ansvar, feladatok, görevler, atribuições, \
            tareas, funciones",
        paths: "responsibilities",
        ..ROW
    },
    Row {
        names: "qualifications, job requirements, your profile, what you bring, required qualifications, \
            candidate profile, profile requirements, anforderungen, qualifikationen, ihr profil, \
            dein profil, anforderungsprofil, profil recherché, qualifications requises, \
            compétences requises, requisitos mínimos, requisiti richiesti, qualificações, functie eisen, \
            jouw profiel, kvalifikationer, kvalifikasjoner, vaatimukset, odotamme sinulta, \
            nasze wymagania, oczekiwania, požadavky, požadujeme, požiadavky, elvárások, követelmények, \
            cerințe, candidatul ideal, изисквания, требования, вимоги, απαιτούμενα προσόντα, προσόντα, \
            aranan nitelikler, nitelikler, gereksinimler, 応募資格, 必須条件, 求める人材, 任职要求, \
            岗位要求, 任職條件, 條件要求, 자격요건, 지원자격, דרישות, דרישות התפקיד, المتطلبات, المؤهلات",
        labels: "profil, perfil, krav, profilo, profiel, eisen, requirements, requisitos, requisiti, \
            wymagania",
        paths: "qualifications, qualifications.description",
        ..ROW
    },
    Row {
        names: "skills, required skills, key skills, skill, competencies, fähigkeiten, kenntnisse, \
            kompetenzen, compétences, habilidades, competencias, aptitudes, conocimientos, competenze, \
            abilità, competências, vaardigheden, competenties, färdigheter, kompetenser, kompetencer, \
            færdigheder, ferdigheter, kompetanse, taidot, osaaminen, umiejętności, kompetencje, \
            dovednosti, znalosti, zručnosti, schopnosti, készségek, ismeretek, abilități, competențe, \
            умения, компетенции, навыки, ключевые навыки, навички, ключові навички, δεξιότητες, beceriler, \
            yetenekler, スキル, 必須スキル, 技能, 技能要求, 스킬, 기술, כישורים, מיומנויות, المهارات",
        paths: "skills, skills.name, knowsAbout",
        ..ROW
    },
    Row {
        names: "benefits, job benefits, perks, what we offer, we offer, wir bieten, leistungen, \
            avantages sociaux, beneficios, ofrecemos, offriamo, benefícios, oferecemos, \
            arbeidsvoorwaarden, wij bieden, wat bieden wij, förmåner, vi erbjuder, vi tilbyder, vi tilbyr, \
            tarjoamme, benefity, oferujemy, co oferujemy, to oferujemy, nabízíme, zaměstnanecké výhody, \
            ponúkame, zamestnanecké výhody, juttatások, amit kínálunk, beneficii, oferim, предлагаме, \
            придобивки, мы предлагаем, ми пропонуємо, умови роботи, παροχές, προσφέρουμε, yan haklar, \
            sunduklarımız, 福利厚生, 待遇福利, 福利待遇, 복리후생, 복지, הטבות, תנאים, الامتيازات",
        labels: "goder, edut, условия, avantages du poste, benefici",
        paths: "jobBenefits",
        ..ROW
    },
    Row {
        names: "working hours, work hours, hours per week, weekly hours, arbeitszeit, arbeitszeiten, \
            wochenstunden, stunden pro woche, horaires de travail, temps de travail, horario de trabajo, \
            horario laboral, orario di lavoro, ore settimanali, horário de trabalho, carga horária, \
            uren per week, aantal uren, werktijden, werkuren, arbetstid, arbetstider, arbejdstimer, \
            timer pr uge, timer i uken, työajat, godziny pracy, czas pracy, pracovní doba, pracovný čas, \
            munkaidő, program de lucru, ore de lucru, часы работы, рабочее время, робочий час, \
            ώρες εργασίας, ωράριο εργασίας, 勤務時間, 就業時間, 工作时间, 工作時間, 上班時段, 근무시간, \
            שעות עבודה, ساعات العمل",
        paths: "workHours",
        ..ROW
    },
];
