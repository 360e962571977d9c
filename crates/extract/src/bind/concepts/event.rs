//! Events.

use super::{ROW, Row};
use crate::normalise::ValueForm;

pub(super) const ROWS: &[Row] = &[
    Row {
        form: ValueForm::Moment,
        names: "start date, event date, starts, starts at, starts on, start, begins, begins at, \
            start time, start date time, start datetime, event time, event start, date from, \
            date and time, date time, course start, startdatum, beginn, anfangszeit, startzeit, \
            veranstaltungsdatum, datum und uhrzeit, einlass und beginn, date de début, début, \
            date et heure, commence le, heure de début, fecha de inicio, inicio, comienza, fecha y hora, \
            comienzo, hora de inicio, data di inizio, inizio, data e ora, ora di inizio, data de início, \
            início, data e hora, hora de início, horário de início, begindatum, aanvang, begintijd, \
            datum en tijd, startdag, starttid, börjar, datum och tid, tid och plats, startdato, \
            starttidspunkt, dato og tid, dato og tidspunkt, tid og sted, alkaa, alkamisaika, alkamispäivä, \
            ajankohta, data rozpoczęcia, rozpoczęcie, początek, start wydarzenia, data i godzina, \
            godzina rozpoczęcia, začátek, datum konání, datum zahájení, zahájení, začiatok, dátum konania, \
            kezdés, kezdete, kezdési időpont, időpont, data de început, început, începe, \
            data evenimentului, ora de începere, начална дата, начало, начален час, дата и час, \
            дата начала, дата проведения, начало мероприятия, дата и время, время начала, дата початку, \
            початок, дата проведення, час початку, ημερομηνία έναρξης, έναρξη, ώρα έναρξης, \
            ημερομηνία και ώρα, başlangıç tarihi, başlangıç, başlama tarihi, başlama saati, tarih ve saat, \
            etkinlik tarihi, 開始日, 開始日時, 開催日, 開催日時, 開催期間, 日時, 开始时间, 开始日期, \
            活动时间, 举办时间, 活動時間, 活動日期, 開始時間, 開始日期, 演出时间, 시작일, 시작일시, 일시, \
            행사일시, 행사기간, 공연일시, תאריך התחלה, מועד, שעת התחלה, תאריך ושעה, تاريخ البدء, \
            تاريخ البداية, موعد البدء, موعد الفعالية, تاريخ الفعالية",
        labels: "date, time, from, datum, uhrzeit, zeit, heure, horaire, dates, fecha, hora, horario, \
            data, ora, orario, tijd, tid, klockan, klokken, dato, aika, päivä, pvm, godzina, čas, dátum, \
            dátum és idő, дата, час, время, ημερομηνία, ώρα, tarih, saat, 日付, 時間, 时间, 日期, 날짜, \
            시간, תאריך, שעה, التاريخ, الوقت, when, quando, när, når, kiedy, kdy, kedy, mikor, когда, \
            коли, кога, πότε, ne zaman, wann, wanneer, hvornår, milloin, când, متى, מתי, termin, begin, \
            beginning",
        paths: "startDate, hasCourseInstance.startDate, subEvent.startDate, eventSchedule.startDate",
        metas: "event:start_time, og:start_time, event:start",
        ..ROW
    },
    Row {
        form: ValueForm::Moment,
        names: "end date, end time, ends, ends at, ends on, end date time, end datetime, finishes, \
            date to, event end, enddatum, endzeit, endet, endet am, date de fin, heure de fin, \
            se termine le, fecha de fin, fecha final, finaliza, hora de fin, termina, data di fine, \
            ora di fine, data de término, data final, término, einddatum, eindtijd, slutdatum, slutar, \
            sluttid, slutdato, slutter, sluttidspunkt, päättyy, päättymisaika, loppuu, data zakończenia, \
            zakończenie, godzina zakończenia, datum ukončení, ukončení, ukončenie, dátum ukončenia, \
            befejezés, záró időpont, data de sfârșit, sfârșit, se încheie, крайна дата, дата окончания, \
            окончание, время окончания, дата завершення, завершення, ημερομηνία λήξης, ώρα λήξης, bitiş, \
            bitiş saati, sona erme, 終了日, 終了日時, 終了時間, 结束时间, 结束日期, 結束時間, 結束日期, \
            종료일, 종료일시, 종료시간, תאריך סיום, שעת סיום, تاريخ النهاية, وقت الانتهاء",
        labels: "until, bis, hasta, jusqu au, bitiş tarihi, تاريخ الانتهاء, deadline, λήξη, end, fin, fim, \
            fine, ende, einde, vége, konec, koniec, конец, кінець, finish, край",
        paths: "endDate, hasCourseInstance.endDate, subEvent.endDate, eventSchedule.endDate",
        metas: "event:end_time, og:end_time, event:end",
        ..ROW
    },
    Row {
        form: ValueForm::Moment,
        names: "door time, doors open, door opening, doors open at, einlass, einlasszeit, \
            ouverture des portes, apertura de puertas, apertura puertas, apertura porte, \
            abertura das portas, abertura de portas, deuren open, insläpp, dörrarna öppnar, døre åbner, \
            dørene åbner, dører åpner, dørene åpner, ovet aukeavat, otwarcie bram, otwarcie drzwi, \
            wejście od, otevření dveří, vstup od, otvorenie dverí, kapunyitás, deschiderea porților, \
            отваряне на вратите, открытие дверей, сбор гостей, відкриття дверей, άνοιγμα θυρών, \
            ώρα προσέλευσης, kapı açılış, kapı açılışı, 開場, 開場時間, 入场时间, 入場時間, 입장 시간, \
            입장시간, פתיחת דלתות, وقت فتح الأبواب, فتح الأبواب",
        labels: "doors, deuren, двери, двері, врати, acces public, ovet",
        paths: "doorTime",
        ..ROW
    },
    Row {
        names: "venue, venue name, event venue, location name, place name, spielstätte, spielort, \
            veranstaltungsstätte, veranstaltungsraum, salle de spectacle, lugar del evento, \
            sede del evento, luogo dell evento, local do evento, casa de show, spillested, \
            tapahtumapaikka, esityspaikka, miejsce wydarzenia, místo akce, místo konání akce, \
            miesto podujatia, esemény helyszíne, helyszín neve, locația evenimentului, място на събитието, \
            площадка, место проведения мероприятия, місце події, зала проведення, χώρος διεξαγωγής, \
            αίθουσα, etkinlik yeri, 会場, 会場名, 開催場所, 场馆, 活动地点, 场地, 演出场馆, 活動地點, \
            場地, 공연장, 행사장, 행사장소, אולם, מקום האירוע, المكان المخصص, مكان الفعالية, مكان الحدث",
        labels: "location, place, lieu, ort, luogo, lugar, local, plats, sted, paikka, miejsce, místo, \
            miesto, helyszín, locație, място, место, місце, τοποθεσία, yer, 場所, 地点, 地點, 장소, מיקום, \
            المكان, podium, lokal, scen, arena, scene, klub, salon, sala, salle, hall, theatre, theater, \
            teatro, obiekt, scena, zaal, mekan, sală, зала, зал, قاعة, recinto, χώρος",
        paths: "location.name, location",
        metas: "og:location, place:name",
        ..ROW
    },
    Row {
        form: ValueForm::Names,
        names: "organizer, organiser, organized by, organised by, organizer name, organiser name, \
            event organizer, host, hosted by, host name, presented by, promoter, event host, veranstalter, \
            veranstalterin, organisator, ausrichter, organisateur, organisé par, organisatrice, \
            organizador, organizado por, entidad organizadora, organizzatore, organizzato da, \
            organizador do evento, realização, organisatie door, georganiseerd door, arrangör, \
            arrangeras av, arrangør, arrangeret af, arrangert av, järjestäjä, tapahtumajärjestäjä, \
            organizator, organizatorzy, pořadatel, pořádá, organizátor, usporiadateľ, szervező, \
            rendező szervezet, organizat de, организатор, организатори, организаторы, організатор, \
            διοργανωτής, διοργάνωση, organizatör, düzenleyen, etkinlik sahibi, 主催, 主催者, 主办方, \
            主办单位, 组织者, 主辦單位, 主辦, 주최, 주관, 주최자, 행사주최, מארגן, מארגנים, المنظم, \
            الجهة المنظمة, تنظيم",
        labels: "organiza, promotor",
        paths: "organizer.name, organizer",
        ..ROW
    },
    Row {
        form: ValueForm::Names,
        names: "performers, performer, artists, artist, line up, lineup, performed by, speakers, speaker, \
            performer name, artist name, featuring, musicians, künstler, künstlerin, interpret, \
            interpreten, mitwirkende, referent, referenten, sprecher, besetzung, artistes, artiste, \
            interprètes, intervenants, intervenant, artistas, intérpretes, intérprete, ponentes, ponente, \
            elenco, artisti, interpreti, relatori, relatore, palestrantes, palestrante, artiesten, \
            artiest, sprekers, spreker, uitvoerenden, artister, medverkande, talare, kunstner, kunstnere, \
            medvirkende, talere, oplægsholder, foredragsholder, utøvere, esiintyjät, esiintyjä, puhujat, \
            puhuja, artyści, artysta, wykonawca, wykonawcy, prelegenci, prelegent, účinkující, umělec, \
            přednášející, řečníci, účinkujúci, umelec, fellépők, fellépő, előadó, előadók, artiști, \
            vorbitori, speakeri, invitați, изпълнител, изпълнители, участници, лектор, лектори, \
            исполнитель, исполнители, артисты, участники, спикеры, спикер, виконавець, виконавці, артисти, \
            спікери, учасники, καλλιτέχνες, καλλιτέχνης, ομιλητές, ομιλητής, συντελεστές, sanatçı, \
            sanatçılar, konuşmacılar, konuşmacı, 出演, 出演者, アーティスト, 登壇者, 講師陣, 表演者, 艺人, \
            演出者, 嘉宾, 演讲嘉宾, 演出人員, 講者, 藝人, 출연, 출연진, 아티스트, 연사, 가수, אמן, אמנים, \
            מופיעים, דוברים, מרצים, الفنان, الفنانون, المتحدثون, المتحدث",
        labels: "artista",
        paths: "performer.name, performer, performers.name, performers, byArtist.name, byArtist",
        metas: "music:musician",
        ..ROW
    },
    Row {
        form: ValueForm::Term,
        names: "event status, status of event, veranstaltungsstatus, statut de l événement, \
            estado del evento, stato evento, status do evento",
        labels: "status",
        paths: "eventStatus",
        ..ROW
    },
    Row {
        form: ValueForm::Term,
        names: "attendance mode, event attendance mode, event format, online or offline, \
            veranstaltungsform, teilnahmeart, mode de participation, modalidad del evento, \
            modalità di partecipazione, 開催形式, 活动形式",
        paths: "eventAttendanceMode",
        ..ROW
    },
    Row {
        form: ValueForm::Count,
        names: "maximum attendees, maximum attendee capacity, attendee limit, seats available, \
            remaining capacity, capacity, max participants, maximum participants, number of participants, \
            teilnehmerzahl, maximale teilnehmerzahl, kapazität, nombre de participants, nombre de places, \
            capacité, aforo, plazas, capacidad, capienza, capacità, vagas disponíveis, capacidade, \
            capaciteit, kapacitet, kapasitet, kapasiteetti, liczba miejsc, pojemność, kapacita, férőhely, \
            férőhelyek, capacitate, капацитет, вместимость, місткість, χωρητικότητα, kapasite, kontenjan, \
            定員, 人数上限, 容纳人数, 名額, 정원, 수용인원, קיבולת, السعة, عدد المقاعد",
        paths: "maximumAttendeeCapacity, remainingAttendeeCapacity, location.maximumAttendeeCapacity",
        ..ROW
    },
    Row {
        form: ValueForm::Url,
        names: "ticket url, tickets url, ticket link, tickets link, buy tickets url, booking url, \
            booking link, registration url, registration link, register link, apply url, application url, \
            apply link",
        paths: "offers.url, potentialAction.target",
        metas: "event:ticket_url",
        ..ROW
    },
    Row {
        form: ValueForm::Price,
        names: "highest price, max price, maximum price, high price, price to, price max, prix maximum, \
            höchster preis, precio máximo, prezzo massimo, preço máximo",
        paths: "offers.highPrice",
        ..ROW
    },
];
