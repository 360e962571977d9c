//! Real estate.

use super::{ROW, Row};
use crate::normalise::ValueForm;

pub(super) const ROWS: &[Row] = &[
    Row {
        form: ValueForm::Number,
        names: "rooms, number of rooms, room count, num rooms, no of rooms, total rooms, zimmer, \
            anzahl zimmer, zimmeranzahl, zimmerzahl, pièces, nombre de pièces, nb pièces, habitaciones, \
            número de habitaciones, ambientes, locali, numero locali, vani, numero vani, cômodos, \
            número de quartos, assoalhadas, tipologia, kamers, aantal kamers, antal rum, værelser, \
            antal værelser, antall rom, huoneita, huoneluku, huoneet, huoneita yhteensä, pokoje, \
            liczba pokoi, ilość pokoi, počet pokojů, pokojů, počet izieb, izby, szobák, szobák száma, \
            szobaszám, camere, număr de camere, număr camere, nr camere, стаи, брой стаи, комнат, \
            количество комнат, число комнат, кол во комнат, кімнат, кількість кімнат, δωμάτια, \
            αριθμός δωματίων, oda sayısı, oda, 部屋数, 間取り, 房间数, 户型, 房間數, 格局, 방수, 방 개수, \
            חדרים, מספר חדרים, عدد الغرف, الغرف",
        labels: "rum, rom",
        paths: "numberOfRooms.value, numberOfRooms",
        ..ROW
    },
    Row {
        form: ValueForm::Number,
        names: "bedrooms, number of bedrooms, bedroom count, num bedrooms, beds, schlafzimmer, \
            anzahl schlafzimmer, chambres, nombre de chambres, dormitorios, número de dormitorios, \
            recámaras, camere da letto, quartos, dormitórios, slaapkamers, aantal slaapkamers, sovrum, \
            antal sovrum, soveværelser, soverom, antall soverom, makuuhuoneet, makuuhuoneita, sypialnie, \
            liczba sypialni, ložnice, počet ložnic, spálne, počet spální, hálószobák, hálószobák száma, \
            dormitoare, număr dormitoare, спални, брой спални, спальни, спален, спалень, υπνοδωμάτια, \
            αριθμός υπνοδωματίων, yatak odası, yatak odası sayısı, 寝室数, 卧室数, 臥室, 침실, 침실 수, \
            חדרי שינה, غرف النوم, عدد غرف النوم",
        paths: "numberOfBedrooms.value, numberOfBedrooms",
        ..ROW
    },
    Row {
        form: ValueForm::Number,
        names: "bathrooms, number of bathrooms, bathroom count, num bathrooms, baths, badezimmer, \
            anzahl badezimmer, bäder, salles de bain, salles de bains, nombre de salles de bain, baños, \
            número de baños, cuartos de baño, bagni, numero bagni, banheiros, número de banheiros, \
            casas de banho, badkamers, aantal badkamers, badrum, antal badrum, badeværelser, \
            antal badeværelser, kylpyhuoneet, łazienki, liczba łazienek, koupelny, počet koupelen, \
            kúpeľne, počet kúpeľní, fürdőszobák, fürdőszobák száma, băi, număr băi, бани, брой бани, \
            ванные, санузлы, количество санузлов, санвузли, ванні кімнати, μπάνια, αριθμός μπάνιων, banyo, \
            banyo sayısı, 浴室数, バスルーム数, 卫生间, 卫生间数, 衛浴, 浴室, 욕실, 욕실 수, חדרי רחצה, \
            الحمامات, عدد الحمامات",
        paths: "numberOfBathroomsTotal, numberOfFullBathrooms",
        ..ROW
    },
    Row {
        names: "area, living area, floor area, floor space, square meters, square metres, square feet, \
            sq ft, sqm, usable area, living space, floor size, interior size, wohnfläche, nutzfläche, \
            gesamtfläche, surface habitable, superficie habitable, surface totale, superficie construida, \
            superficie útil, metros cuadrados, superficie abitabile, superficie calpestabile, mq, \
            área útil, área construída, área total, área privativa, metragem, woonoppervlakte, \
            woonoppervlak, gebruiksoppervlakte, boarea, boyta, boligareal, bruksareal, primærrom, \
            asuinpinta ala, pinta ala, asuintilat, powierzchnia, powierzchnia użytkowa, metraż, \
            powierzchnia mieszkalna, užitná plocha, podlahová plocha, obytná plocha, úžitková plocha, \
            alapterület, lakóterület, hasznos alapterület, suprafață, suprafata, suprafață utilă, \
            suprafață construită, площ, квадратура, жилищна площ, площадь, общая площадь, жилая площадь, \
            площа, загальна площа, житлова площа, εμβαδόν, τετραγωνικά, καθαρά τ μ, metrekare, \
            brüt metrekare, net metrekare, m2 brüt, m2 net, 面積, 専有面積, 延床面積, 面积, 建筑面积, \
            使用面积, 建物面積, 坪數, 전용면적, 면적, 공급면적, שטח, שטח במ ר, المساحة, مساحة البناء",
        labels: "size, größe, tamanho, storlek, størrelse, koko, surface, fläche, plocha, yta, alan, \
            superficie, oppervlakte, areal",
        paths: "floorSize.value, floorSize, area.value",
        ..ROW
    },
    Row {
        names: "plot area, lot size, land area, plot size, site area, land size, grundstücksfläche, \
            surface du terrain, superficie de la parcela, superficie terreno, área do terreno, \
            perceeloppervlakte, kaveloppervlakte, tomtarea, tomtyta, grundareal, tomteareal, \
            tontin pinta ala, tontin koko, powierzchnia działki, plocha pozemku, výmera pozemku, výmera, \
            telekterület, telek mérete, suprafață teren, площ на парцела, площ на двора, площадь участка, \
            площа ділянки, εμβαδόν οικοπέδου, οικόπεδο, arsa alanı, 土地面積, 敷地面積, 占地面积, \
            土地坪數, 대지면적, שטח מגרש, مساحة الأرض",
        labels: "terrain, parcela, tomt, działka, участок, ділянка, grundstück, pozemok, pozemek, perceel",
        paths: "lotSize.value, lotSize",
        ..ROW
    },
    Row {
        names: "floor, floor level, floor number, storey, etage, stockwerk, geschoss, étage, planta, piso, \
            piano, andar, verdieping, woonlaag, våning, våningsplan, kerros, piętro, patro, podlaží, \
            poschodie, emelet, etaj, етаж, этаж, поверх, όροφος, kat, bulunduğu kat, 階, 所在階, 楼层, \
            所在楼层, 樓層, 층, 층수, 해당층, קומה, الطابق, الدور",
        paths: "floorLevel",
        ..ROW
    },
    Row {
        form: ValueForm::Price,
        names: "rent, monthly rent, rental price, base rent, rent per month, cold rent, warm rent, \
            kaltmiete, miete, warmmiete, nettokaltmiete, gesamtmiete, mietpreis, loyer, loyer mensuel, \
            loyer charges comprises, loyer hors charges, alquiler, precio de alquiler, alquiler mensual, \
            affitto, canone, canone di locazione, affitto mensile, aluguel, renda, valor do aluguel, \
            renda mensal, huur, huurprijs, kale huur, hyra, månadshyra, husleje, månedlig leje, leje, \
            leie, månedsleie, vuokra, czynsz, czynsz najmu, cena najmu, nájem, nájemné, měsíční nájem, \
            prenájom, nájomné, bérleti díj, havi bérleti díj, chirie, chirie lunară, наем, месечен наем, \
            аренда, арендная плата, оренда, орендна плата, ενοίκιο, μηνιαίο ενοίκιο, kira, aylık kira, \
            kira bedeli, 家賃, 賃料, 租金, 月租, 月租金, 월세, 임대료, שכר דירה, שכירות, الإيجار, \
            الإيجار الشهري, قيمة الإيجار",
        paths: "offers.price, offers.priceSpecification.price, price",
        ..ROW
    },
    Row {
        form: ValueForm::Price,
        names: "deposit, security deposit, rental deposit, kaution, mietkaution, dépôt de garantie, \
            depósito, cauzione, deposito cauzionale, caução, waarborgsom, borgsom, deposition, depositum, \
            vuokravakuus, takuuvuokra, kaucja, kauce, kaucia, kaució, depozit, εγγύηση ενοικίου, depozito, \
            敷金, 保証金, 押金, 보증금, פיקדון, مبلغ التأمين",
        labels: "borg, fianza, залог, депозит, застава, التأمين",
        ..ROW
    },
    Row {
        names: "property type, type of property, home type, house type, building type, real estate type, \
            objektart, immobilientyp, wohnungstyp, haustyp, type de bien, type de logement, \
            tipo de inmueble, tipo de propiedad, tipo de vivienda, tipologia immobile, tipo di immobile, \
            tipo de imóvel, soort woning, woningtype, type woning, bostadstyp, upplåtelseform, boligtype, \
            ejendomstype, eiendomstype, asuntotyyppi, rakennustyyppi, talotyyppi, rodzaj nieruchomości, \
            rodzaj zabudowy, typ nieruchomości, typ nemovitosti, druh nemovitosti, typ nehnuteľnosti, \
            druh nehnuteľnosti, ingatlan típusa, ingatlantípus, tip imobil, tip proprietate, tip locuință, \
            вид имот, тип имот, тип недвижимости, тип дома, тип жилья, тип нерухомості, тип будинку, \
            είδος ακινήτου, τύπος ακινήτου, emlak tipi, konut tipi, konut şekli, 物件種別, 建物種別, \
            物业类型, 房屋类型, 房屋類型, 건물유형, 매물종류, סוג נכס, סוג הנכס, نوع العقار",
        labels: "type",
        paths: "additionalType, accommodationCategory, category",
        ..ROW
    },
    Row {
        form: ValueForm::Number,
        names: "year built, built in, construction year, year of construction, build year, built, baujahr, \
            année de construction, construit en, año de construcción, construido en, anno di costruzione, \
            ano de construção, bouwjaar, byggår, byggeår, rakennusvuosi, rok budowy, rok výstavby, \
            rok postavení, rok stavby, rok kolaudácie, építés éve, építési év, anul construcției, \
            an construcție, година на строеж, година на строителство, год постройки, год строительства, \
            рік побудови, рік будівництва, έτος κατασκευής, yapım yılı, inşa yılı, bina yaşı, 築年月, \
            築年数, 建筑年代, 建造年份, 屋齡, 준공년도, 건축년도, 준공일, שנת בנייה, سنة البناء, \
            عمر البناء",
        paths: "yearBuilt",
        ..ROW
    },
    Row {
        names: "energy class, energy rating, energy efficiency class, energy label, energy performance, \
            epc rating, energieeffizienzklasse, energieklasse, energieausweis, classe énergie, \
            classe énergétique, dpe, diagnostic de performance énergétique, certificado energético, \
            calificación energética, clase energética, classe energetica, classe energética, energielabel, \
            energiklass, energimærke, energimerking, energiluokka, klasa energetyczna, \
            energetická náročnost, energetická třída, penb, energetická trieda, energetický certifikát, \
            energetikai besorolás, energiaosztály, clasă energetică, клас на енергийна ефективност, \
            енергиен клас, класс энергоэффективности, клас енергоефективності, ενεργειακή κλάση, \
            enerji sınıfı, enerji kimlik belgesi, エネルギー効率, 能效等级, 能源效率, 에너지등급, \
            דירוג אנרגטי, كفاءة الطاقة",
        paths: "hasEnergyConsumptionDetails.hasEnergyEfficiencyCategory, energyEfficiencyClass",
        ..ROW
    },
    Row {
        form: ValueForm::Date,
        names: "available from, availability date, move in date, available date, verfügbar ab, \
            bezugsfrei ab, frei ab, einzugsdatum, disponible à partir du, disponible le, disponible desde, \
            fecha de disponibilidad, disponibile dal, disponibile da, disponível a partir de, \
            beschikbaar vanaf, beschikbaar per, tillträde, inflyttning, inflyttningsdatum, ledig fra, \
            overtagelse, overtakelse, innflytting, vapautuu, muuttopäivä, dostępne od, dostępny od, \
            wolne od, k nastěhování, datum nastěhování, k dispozici od, dostupné od, voľné od, költözhető, \
            beköltözhető, disponibil din, disponibil de la, свободен от, дата заезда, доступно с, \
            доступно з, διαθέσιμο από, müsaitlik tarihi, 入居可能日, 可入住日期, 可遷入日, 입주가능일, \
            입주일, תאריך כניסה, متاح من, تاريخ التوفر",
        paths: "availabilityStarts, offers.availabilityStarts, leaseStart",
        ..ROW
    },
];
