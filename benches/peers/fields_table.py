"""The kinds and properties of `evaluate fields` (`kinds.rs`), with their paths in schema.org and Open Graph.

Of the paths of a property, the first with a value counts.
"""
import re


def paths_of(table):
    """`a=b|c.d e=f` as `{"a": ["b", "c.d"], "e": ["f"]}`."""
    table = re.sub(r"\s+\|", "|", table)
    return {name: paths.split("|") for name, paths in (line.split("=") for line in table.split())}


def kind(types, properties):
    return set(types.split()), paths_of(properties)


OFFER = """price=offers.price|offers.lowPrice|offers.priceSpecification.price|offers.offers.price
    |hasVariant.offers.price|hasVariant.offers.priceSpecification.price
    currency=offers.priceCurrency|offers.priceSpecification.priceCurrency|offers.offers.priceCurrency
    |hasVariant.offers.priceCurrency"""
RATING = "rating=aggregateRating.ratingValue"
REVIEWS = f"{RATING} review_count=aggregateRating.reviewCount|aggregateRating.ratingCount"
WRITTEN = "author=author|creator date_published=datePublished|dateCreated"
STEPS = "recipeInstructions.itemListElement"

# Kind: its types of schema.org, and the paths of each property.
KINDS = {
    "Product": kind(
        "Product ProductGroup ProductModel IndividualProduct SomeProducts Vehicle Car",
        f"""title=name {OFFER} brand=brand|manufacturer sku=sku|productID|offers.sku mpn=mpn {REVIEWS}
        availability=offers.availability|offers.offers.availability|hasVariant.offers.availability
        gtin=gtin13|gtin|gtin12|gtin8|gtin14|offers.gtin13|isbn description=description
        category=category color=color images=image""",
    ),
    "Article": kind(
        """Article NewsArticle BlogPosting TechArticle ReportageNewsArticle AnalysisNewsArticle
        OpinionNewsArticle LiveBlogPosting ScholarlyArticle""",
        f"""title=headline|name {WRITTEN} date_modified=dateModified section=articleSection
        publisher=publisher description=description text=articleBody keywords=keywords
        image=image|thumbnailUrl""",
    ),
    "ForumPost": kind(
        "DiscussionForumPosting SocialMediaPosting",
        f"title=headline|name {WRITTEN} text=text|articleBody comment_count=commentCount",
    ),
    "Question": kind(
        "Question",
        f"""question=name text=text {WRITTEN} answer_count=answerCount
        accepted_answer=acceptedAnswer.text""",
    ),
    "Faq": kind(
        "FAQPage",
        "questions.question=mainEntity.name questions.answer=mainEntity.acceptedAnswer.text",
    ),
    "Recipe": kind(
        "Recipe",
        f"""title=name {WRITTEN} prep_time=prepTime cook_time=cookTime total_time=totalTime {REVIEWS}
        servings=recipeYield|yield ingredients=recipeIngredient|ingredients
        instructions=recipeInstructions.text|{STEPS}.text|{STEPS}.itemListElement.text|recipeInstructions
        calories=nutrition.calories category=recipeCategory cuisine=recipeCuisine description=description""",
    ),
    "JobPosting": kind(
        "JobPosting",
        """title=title|name company=hiringOrganization location=jobLocation.address|jobLocation
        employment_type=employmentType date_posted=datePosted valid_through=validThrough
        salary_min=baseSalary.value.minValue|baseSalary.minValue
        salary_max=baseSalary.value.maxValue|baseSalary.maxValue description=description""",
    ),
    "Event": kind(
        "Event MusicEvent BusinessEvent EducationEvent SportsEvent TheaterEvent Festival",
        f"""title=name start_date=startDate end_date=endDate venue=location.name address=location.address
        organizer=organizer performers=performer|performers {OFFER} description=description""",
    ),
    "Book": kind(
        "Book",
        f"""title=name author=author|creator publisher=publisher isbn=isbn|gtin13 {OFFER} {RATING}
        date_published=datePublished pages=numberOfPages language=inLanguage description=description""",
    ),
    "Review": kind(
        "Review CriticReview",
        f"item=itemReviewed rating=reviewRating.ratingValue {WRITTEN} text=reviewBody",
    ),
    "Video": kind(
        "VideoObject",
        "title=name date_published=uploadDate|datePublished duration=duration description=description",
    ),
    "App": kind(
        "SoftwareApplication WebApplication MobileApplication VideoGame",
        f"""title=name category=applicationCategory operating_system=operatingSystem
        version=softwareVersion developer=author|publisher {OFFER} {REVIEWS} description=description""",
    ),
    "Course": kind("Course", f"title=name provider=provider {OFFER} {REVIEWS} description=description"),
    "Person": kind(
        "Person",
        """name=name job_title=jobTitle company=worksFor|affiliation email=email phone=telephone
        description=description""",
    ),
    "Organization": kind(
        """Organization Corporation LocalBusiness ProfessionalService Store Restaurant Hotel Dentist Physician
        HVACBusiness MovingCompany CollegeOrUniversity EducationalOrganization NewsMediaOrganization
        HomeAndConstructionBusiness LegalService""",
        f"""name=name phone=telephone|contactPoint.telephone email=email|contactPoint.email address=address
        {REVIEWS} description=description""",
    ),
}
LISTS = {"images", "keywords", "ingredients", "instructions", "performers"}
# Properties whose values are joined.
NAMES = {"author", "organizer", "developer"}
IMAGES = {"image", "images"}
PLACES = {"location", "address"}
PLACE_PARTS = ["name", "streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry"]

# Start of `og:type`: the kind; and what Open Graph has for a property without a value.
OPEN_GRAPH_KINDS = {"product": "Product", "article": "Article", "book": "Book", "video": "Video"}
OPEN_GRAPH = paths_of(
    """title=og:title description=og:description image=og:image images=og:image
    publisher=og:site_name author=article:author|book:author section=article:section keywords=article:tag
    date_published=article:published_time|book:release_date|video:release_date
    date_modified=article:modified_time price=product:price:amount|og:price:amount
    currency=product:price:currency|og:price:currency availability=product:availability|og:availability
    brand=product:brand sku=product:retailer_item_id isbn=book:isbn"""
)
