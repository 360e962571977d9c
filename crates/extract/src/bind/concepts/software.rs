//! Software.

use super::{ROW, Row};
use crate::normalise::ValueForm;

pub(super) const ROWS: &[Row] = &[
    Row {
        names: "version, software version, current version, app version, latest version, version number, \
            versionsnummer, aktuelle version, version actuelle, versión, versión actual, versione, versão, \
            versão atual, versie, versienummer, nuvarande version, nuværende version, versjon, versio, \
            wersja, aktualna wersja, verze, aktuální verze, verzia, verzió, verziószám, versiune, версия, \
            текуща версия, текущая версия, версія, έκδοση λογισμικού, sürüm, güncel sürüm, バージョン, \
            版本, 当前版本, 版本号, 버전, 현재 버전, גרסה, גירסה, الإصدار, الإصدار الحالي",
        paths: "softwareVersion, version",
        ..ROW
    },
    Row {
        names: "operating system, operating systems, os, platform, platforms, os version, supported os, \
            compatible with, requires android, requires ios, compatibility, betriebssystem, \
            betriebssysteme, plattform, kompatibilität, système d exploitation, plateforme, compatibilité, \
            sistema operativo, plataforma, compatibilidad, piattaforma, compatibilità, \
            sistema operacional, compatibilidade, besturingssysteem, operativsystem, operativsystemer, \
            styresystem, käyttöjärjestelmä, alusta, system operacyjny, platforma, operační systém, \
            operačný systém, operációs rendszer, sistem de operare, операционна система, платформа, \
            операционная система, операційна система, λειτουργικό σύστημα, πλατφόρμα, işletim sistemi, \
            対応os, 対応機種, オペレーティングシステム, プラットフォーム, 操作系统, 运行环境, 作業系統, \
            運行平台, 운영체제, 플랫폼, מערכת הפעלה, פלטפורמה, نظام التشغيل, المنصة",
        paths: "operatingSystem, gamePlatform.name, gamePlatform, availableOnDevice",
        ..ROW
    },
    Row {
        form: ValueForm::Names,
        names: "developer, developer name, developed by, developers, studio, game developer, \
            app developer, software developer, entwickler, entwicklerin, entwickelt von, développeur, \
            développé par, desarrollador, desarrollado por, desarrolladora, sviluppatore, sviluppato da, \
            desenvolvedor, desenvolvido por, desenvolvedora, ontwikkelaar, ontwikkeld door, utvecklare, \
            utvecklad av, udvikler, udviklet af, utvikler, utviklet av, kehittäjä, deweloper, twórca, \
            vývojář, vývojár, fejlesztő, dezvoltator, dezvoltat de, разработчик, розробник, \
            προγραμματιστής, geliştirici, geliştiren, 開発者, 開発元, デベロッパー, 开发者, 开发商, \
            開發者, 開發商, 개발자, 개발사, מפתח, المطور",
        paths: "author.name, creator.name, publisher.name, author, creator, publisher, provider.name",
        ..ROW
    },
    Row {
        names: "file size, filesize, app size, download size, size of download, dateigröße, downloadgröße, \
            taille du fichier, poids du fichier, tamaño del archivo, tamaño de archivo, \
            dimensione del file, dimensioni file, tamanho do arquivo, tamanho do ficheiro, \
            bestandsgrootte, filstorlek, filstørrelse, tiedostokoko, rozmiar pliku, velikost souboru, \
            veľkosť súboru, fájlméret, dimensiunea fișierului, mărime fișier, размер на файла, \
            размер файла, розмір файлу, μέγεθος αρχείου, dosya boyutu, ファイルサイズ, 文件大小, 软件大小, \
            檔案大小, 파일 크기, 용량, גודל קובץ, حجم الملف",
        labels: "size, größe, taille, tamaño, dimensione, rozmiar, размер, 大小",
        paths: "fileSize, contentSize",
        ..ROW
    },
    Row {
        form: ValueForm::Count,
        names: "downloads, download count, number of downloads, installs, install count, total downloads, \
            anzahl downloads, téléchargements, nombre de téléchargements, descargas, número de descargas, \
            download totali, numero di download, transferências, aantal downloads, nedladdningar, \
            nedlastinger, lataukset, pobrania, liczba pobrań, počet stažení, staženo, počet stiahnutí, \
            letöltések, letöltések száma, descărcări, изтегляния, скачиваний, загрузки, скачали, \
            завантажень, завантаження, λήψεις, indirme, indirme sayısı, ダウンロード数, インストール数, \
            下载次数, 下载量, 安装量, 下載次數, 다운로드 수, הורדות, التنزيلات, عدد التحميلات",
        paths: "interactionStatistic.userInteractionCount",
        ..ROW
    },
    Row {
        names: "system requirements, software requirements, minimum requirements, hardware requirements, \
            systemanforderungen, systemvoraussetzungen, configuration requise, requisitos del sistema, \
            requisiti di sistema, requisitos do sistema, systeemvereisten, systemkrav, \
            järjestelmävaatimukset, wymagania systemowe, systémové požadavky, systémové požiadavky, \
            rendszerkövetelmények, cerințe de sistem, системни изисквания, системные требования, \
            системні вимоги, απαιτήσεις συστήματος, sistem gereksinimleri, 動作環境, 系统要求, 系統需求, \
            시스템 요구사항, דרישות מערכת, متطلبات النظام",
        paths: "softwareRequirements, memoryRequirements, requirements",
        ..ROW
    },
    Row {
        names: "programming language, code language, programmiersprache, langage de programmation, \
            lenguaje de programación, linguaggio di programmazione, linguagem de programação, \
            programmeertaal, programspråk, język programowania, programovací jazyk, язык программирования, \
            编程语言, プログラミング言語",
        paths: "programmingLanguage.name, programmingLanguage",
        ..ROW
    },
    Row {
        form: ValueForm::Url,
        names: "download url, download link, install url, installation url",
        paths: "downloadUrl, installUrl",
        ..ROW
    },
];
