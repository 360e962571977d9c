//! Vehicles.

use super::{ROW, Row};
use crate::normalise::ValueForm;

pub(super) const ROWS: &[Row] = &[
    Row {
        names: "mileage, odometer, kilometerstand, laufleistung, kilometrage, kilométrage, kilómetros, \
            kilometraje, chilometraggio, chilometri, quilometragem, quilómetros, km stand, miltal, \
            mätarställning, kilometertal, kørte kilometer, kilometerstand km, kjørelengde, mittarilukema, \
            ajokilometrit, kilometrit, przebieg, najeto, stav tachometru, tachometr, nájazd, najazdené, \
            stav tachometra, futásteljesítmény, km óra állása, kilometraj, rulaj, пробег, \
            изминати километри, пробіг, χιλιόμετρα, kilometre, 走行距離, 行驶里程, 表显里程, 里程, 里程數, \
            주행거리, קילומטראז, ק מ, المسافة المقطوعة, عداد المسافة, الممشى",
        labels: "km, miles, kilometers, kilometres",
        paths: "mileageFromOdometer.value, mileageFromOdometer",
        ..ROW
    },
    Row {
        form: ValueForm::Number,
        names: "year, model year, vehicle year, production year, year of manufacture, modelljahr, \
            herstellungsjahr, année modèle, millésime, año del modelo, año de fabricación, \
            anno di produzione, ano modelo, ano de fabricação, modeljaar, årsmodell, modellår, årgang, \
            årsmodel, vuosimalli, rok produkcji, rok výroby, modelový rok, évjárat, gyártási év, \
            an fabricație, anul fabricației, година на производство, год выпуска, рік випуску, \
            μοντέλο έτους, model yılı, üretim yılı, 年式, 年份, 出厂年份, 年款, 出廠年份, 연식, שנתון, \
            שנת ייצור, سنة الصنع, موديل سنة",
        labels: "jahr, année, año, anno, ano, jaar, rok, година, год, рік, έτος, yıl, שנה, السنة, vuosi, \
            연도",
        paths: "vehicleModelDate, productionDate, modelDate, copyrightYear",
        ..ROW
    },
    Row {
        names: "fuel, fuel type, type of fuel, kraftstoff, kraftstoffart, treibstoff, antriebsart, \
            carburant, énergie, type de carburant, combustible, tipo de combustible, carburante, \
            alimentazione, tipo di carburante, combustível, tipo de combustível, brandstof, brandstoftype, \
            bränsle, drivmedel, brændstof, drivmiddel, drivstoff, polttoaine, käyttövoima, paliwo, \
            rodzaj paliwa, palivo, druh paliva, typ paliva, üzemanyag, üzemanyag típusa, combustibil, \
            tip combustibil, гориво, тип гориво, вид гориво, топливо, тип топлива, тип двигателя, пальне, \
            паливо, тип палива, вид палива, καύσιμο, τύπος καυσίμου, yakıt, yakıt tipi, yakıt türü, 燃料, \
            燃料種別, 燃料类型, 燃油类型, 燃料類型, 연료, 연료종류, דלק, סוג דלק, סוג מנוע, الوقود, \
            نوع الوقود",
        paths: "fuelType.name, fuelType, vehicleEngine.fuelType.name, vehicleEngine.fuelType",
        ..ROW
    },
    Row {
        names: "power, engine power, horsepower, hp, kw, leistung, motorleistung, puissance, \
            puissance moteur, puissance fiscale, potencia, potencia del motor, caballos, potenza, cavalli, \
            potência, cavalos, vermogen, motorvermogen, motoreffekt, hästkrafter, hestekræfter, \
            hestekrefter, moottorin teho, moc silnika, konie mechaniczne, výkon, výkon motoru, \
            výkon motora, teljesítmény, lóerő, cai putere, putere motor, мощност, конски сили, мощность, \
            мощность двигателя, потужність, потужність двигуна, ισχύς, ιπποδύναμη, ίπποι, motor gücü, \
            beygir gücü, 最高出力, 馬力, 出力, 功率, 马力, 最大马力, 최고출력, 마력, 출력, כוח סוס, הספק, \
            قوة المحرك, القوة الحصانية",
        labels: "ps, pk, hk, moc, teho, effekt, güç, putere",
        paths: "vehicleEngine.enginePower.value, vehicleEngine.enginePower, enginePower.value",
        ..ROW
    },
    Row {
        names: "transmission, gearbox, transmission type, getriebe, getriebeart, boîte de vitesses, \
            boîte de vitesse, transmisión, caja de cambios, tipo de cambio, trasmissione, tipo di cambio, \
            câmbio, caixa de velocidades, transmissão, transmissie, versnellingsbak, schakeling, \
            växellåda, växel, gearkasse, geartype, girkasse, vaihteisto, skrzynia biegów, převodovka, \
            prevodovka, sebességváltó, sebességváltó fajtája, cutie de viteze, transmisie, cutie viteze, \
            скоростна кутия, коробка передач, кпп тип, трансмиссия, трансмісія, κιβώτιο ταχυτήτων, σασμάν, \
            vites, vites tipi, şanzıman, トランスミッション, ミッション, 変速機, 变速箱, 变速器, 變速箱, \
            변속기, 미션, תיבת הילוכים, גיר, ناقل الحركة, القير, نوع القير",
        labels: "gear, boîte, cambio, gir, коробка, скорости, skrzynia, váltó, schaltung, κιβώτιο",
        paths: "vehicleTransmission.name, vehicleTransmission",
        ..ROW
    },
    Row {
        form: ValueForm::Number,
        names: "doors count, number of doors, door count, num doors, anzahl türen, nombre de portes, \
            número de puertas, numero porte, número de portas, aantal deuren, antal dörrar, antal døre, \
            antall dører, ovien lukumäärä, ovien määrä, liczba drzwi, počet dveří, počet dverí, \
            ajtók száma, număr de uși, număr uși, nr uși, брой врати, количество дверей, кількість дверей, \
            αριθμός θυρών, kapı sayısı, ドア数, 车门数, 車門數, 도어수, מספר דלתות, عدد الأبواب",
        labels: "porte, portes, portas, puertas, türen, πόρτες, דלתות",
        paths: "numberOfDoors.value, numberOfDoors",
        ..ROW
    },
    Row {
        form: ValueForm::Number,
        names: "seats, number of seats, seat count, num seats, seating capacity, passengers, sitze, \
            anzahl sitze, sitzplätze, anzahl sitzplätze, nombre de sièges, número de asientos, \
            número de plazas, numero posti, lotação, número de lugares, zitplaatsen, aantal zitplaatsen, \
            antal säten, antal sittplatser, siddepladser, antal sæder, seter, antall seter, istumapaikat, \
            liczba miejsc siedzących, liczba siedzeń, počet míst, počet sedadel, počet sedadiel, \
            ülőhelyek száma, szállítható személyek, szállítható szem száma, număr de locuri, nr locuri, \
            брой места, количество мест, число мест, кількість місць, αριθμός θέσεων επιβατών, \
            koltuk sayısı, 乗車定員, 座位数, 座位數, 승차정원, מספר מושבים",
        labels: "lugares, posti, θέσεις, asientos",
        paths: "vehicleSeatingCapacity.value, vehicleSeatingCapacity, seatingCapacity.value, seatingCapacity",
        ..ROW
    },
    Row {
        names: "engine displacement, displacement, engine size, engine capacity, cubic capacity, hubraum, \
            cylindrée, cilindrada, cilindrata, cilinderinhoud, motorinhoud, motorvolym, cylindervolym, \
            motorstørrelse, slagvolum, moottorin tilavuus, iskutilavuus, pojemność skokowa, \
            pojemność silnika, objem motoru, obsah motoru, objem motora, zdvihový objem, hengerűrtartalom, \
            capacitate cilindrică, cilindree, кубатура, объем двигателя, объём двигателя, об єм двигуна, \
            κυβικά, κυβισμός, motor hacmi, silindir hacmi, 排気量, 排量, 排氣量, 배기량, נפח מנוע, \
            سعة المحرك",
        labels: "engine, motor, moteur, motore, moottori, silnik, objem, двигател, двигатель, двигун, \
            κινητήρας, 엔진, מנוע, المحرك, エンジン, 发动机",
        paths: "vehicleEngine.engineDisplacement.value, vehicleEngine.engineDisplacement, vehicleEngine.name",
        ..ROW
    },
    Row {
        names: "drive type, drivetrain, drive wheel configuration, wheel drive, antrieb, radantrieb, \
            roues motrices, tracción, trazione, tração, aandrijving, drivhjul, hjuldrift, vetotapa, napęd, \
            rodzaj napędu, náhon, hajtás, hajtás típusa, tracțiune, tractiune, задвижване, çekiş, \
            駆動方式, 駆動, 驱动方式, 驅動方式, 구동방식, הנעה, نظام الدفع, الدفع",
        labels: "drive, drivning, pohon, κίνηση, привод, привід",
        paths: "driveWheelConfiguration.name, driveWheelConfiguration",
        ..ROW
    },
    Row {
        names: "body type, body style, vehicle type, car type, karosserie, karosserieform, fahrzeugtyp, \
            carrosserie, type de véhicule, type de carrosserie, carrocería, tipo de carrocería, \
            tipo de vehículo, carrozzeria, tipo di carrozzeria, carroceria, tipo de carroceria, \
            tipo de veículo, carrosserievorm, carrosserietype, karosstyp, biltyp, karosseri, karrosseri, \
            karosseritype, korimalli, typ nadwozia, nadwozie, karoserie, typ karoserie, karoséria, \
            karosszéria, caroserie, tip caroserie, тип купе, каросерия, кузов, тип кузова, αμάξωμα, \
            τύπος αμαξώματος, kasa tipi, ボディタイプ, 车身类型, 车身结构, 車身型式, 차종, 차체형태, \
            סוג רכב, סוג מרכב, نوع الهيكل, هيكل السيارة",
        labels: "aufbau, kasa, segmento, kori, kivitel, kaross, купе, body",
        paths: "bodyType.name, bodyType, vehicleConfiguration",
        ..ROW
    },
    Row {
        form: ValueForm::Code,
        names: "vin, vehicle identification number, chassis number, vin number, vin code, \
            fahrgestellnummer, fahrzeugidentifikationsnummer, numéro de châssis, número de bastidor, \
            bastidor, numero di telaio, telaio, número do chassi, chassi, chassisnummer, stelnummer, \
            understellsnummer, alustanumero, valmistenumero, numer vin, číslo karoserie, vin číslo, \
            alvázszám, serie șasiu, număr de identificare, номер на рама, номер кузова, vin код, \
            номер кузову, αριθμός πλαισίου, şasi numarası, şasi no, 車台番号, 车架号, 車身號碼, 차대번호, \
            מספר שלדה, رقم الهيكل, رقم الشاصي",
        labels: "fin",
        paths: "vehicleIdentificationNumber",
        ..ROW
    },
    Row {
        form: ValueForm::Date,
        names: "first registration, date of first registration, registration date, first registered, \
            registered, registration year, erstzulassung, ez, zulassung, première mise en circulation, \
            mise en circulation, date de mise en circulation, primera matriculación, \
            fecha de matriculación, matriculación, immatricolazione, prima immatricolazione, \
            anno di immatricolazione, matrícula, data de matrícula, primeiro registo, mês de registo, \
            eerste toelating, eerste inschrijving, datum eerste toelating, första registrering, \
            registreringsdatum, i trafik, 1 reg, første registrering, 1 registrering, reg dato, \
            førstegangsregistrert, 1 gang registrert, rekisteröity, ensirekisteröinti, käyttöönotto, \
            pierwsza rejestracja, data pierwszej rejestracji, uvedeno do provozu, první registrace, \
            do provozu od, v provozu od, prvá evidencia, uvedené do prevádzky, első forgalomba helyezés, \
            data primei înmatriculări, prima înmatriculare, първа регистрация, дата на първа регистрация, \
            дата первой регистрации, перша реєстрація, πρώτη ταξινόμηση, 1η ταξινόμηση, άδεια κυκλοφορίας, \
            ilk tescil tarihi, 初度登録, 初度登録年月, 首次上牌, 上牌时间, 首次登記, 최초등록일, \
            עלייה לכביש, מועד עלייה לכביש, تاريخ التسجيل الأول",
        paths: "dateVehicleFirstRegistered, purchaseDate",
        ..ROW
    },
    Row {
        form: ValueForm::Number,
        names: "previous owners, number of previous owners, number of owners, anzahl der fahrzeughalter, \
            fahrzeughalter, vorbesitzer, nombre de propriétaires, propietarios anteriores, \
            número de propietarios, proprietari precedenti, donos anteriores, aantal eigenaren, \
            vorige eigenaren, antal ägare, antal ejere, antall eiere, omistajien lukumäärä, \
            liczba właścicieli, počet majitelů, počet majiteľov, tulajdonosok száma, număr proprietari, \
            брой собственици, количество владельцев, владельцев по птс, кількість власників, \
            προηγούμενοι ιδιοκτήτες, sahip sayısı, 所有者数, 过户次数, 소유자 변경횟수, בעלים קודמים, \
            عدد المالكين",
        labels: "owners, יד",
        paths: "numberOfPreviousOwners.value, numberOfPreviousOwners",
        ..ROW
    },
    Row {
        names: "fuel consumption, fuel economy, mpg, fuel efficiency, kraftstoffverbrauch, \
            consumo de combustible, consumo combinado, consumo di carburante, consumo medio, verbruik, \
            brandstofverbruik, bränsleförbrukning, förbrukning, brændstofforbrug, km l, drivstofforbruk, \
            spalanie, średnie spalanie, zużycie paliwa, spotřeba, kombinovaná spotřeba, spotreba, \
            fogyasztás, átlagfogyasztás, consum mediu, разход на гориво, расход топлива, витрата палива, \
            витрата пального, κατανάλωση, yakıt tüketimi, ortalama yakıt tüketimi, 燃費, 油耗, 平均油耗, \
            연비, צריכת דלק, استهلاك الوقود",
        labels: "consumption, consumo, consum, расход, verbrauch, kulutus, forbruk, consommation",
        paths: "fuelConsumption.value, fuelConsumption, fuelEfficiency.value",
        ..ROW
    },
];
