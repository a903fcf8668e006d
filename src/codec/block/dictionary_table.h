/* made by script/dictionary from dictionary.txt */

#define STRINGS 1511
#define OBJECTS 363
#define SYMBOLS 102
#define SLOTS 4096

static const char string_text[] =
	"$typetextcreatedAtsubjecturicidlangsreplyrootparentembedfacetsindexfeaturesbyteStartbyteEn"
	"dtagdidimagesimagealtrefsizemimeTypeaspectRatiowidthheightexternalthumbtitledescriptionrec"
	"ordmedialabelsvaluesvaltagsnamedisplayNameavatarbannerlistpurposeviaenjaptdeesfrkonlittrzh"
	"thplukrusvfidaimage/jpegimage/pngimage/webpimage/gifvideo/mp4blobapp.bsky.feed.postapp.bsk"
	"y.graph.listapp.bsky.feed.generatorapp.bsky.feed.reposturltypeen-USen-GBpt-BRes-ESes-419zh"
	"-CNzh-TWzh-Hanszh-Hantarbebgbncacscyeleoeteufagaglhehihrhuhyidiskakkltlvmkmnmsmynbnennnopa"
	"rosiskslsqsrswtatetluruzvigdaflaundmuljbotokastocbrlbmtis-ISde-DEde-ATde-CHfr-FRfr-CAit-IT"
	"ja-JPko-KRnl-NLpl-PLru-RUsv-SEtr-TRuk-UAen-CAen-AUimage/heicimage/avifimage/svg+xmlimage/b"
	"mpimage/tiffapplication/jsonapplication/pdfapplication/octet-streamapplication/cborapplica"
	"tion/ziptext/plaintext/markdowntext/htmltext/csstext/vttaudio/mpegaudio/mp4audio/oggaudio/"
	"wavaudio/webmvideo/webmvideo/quicktimevideo/x-matroska*/*image/*video/*audio/*lexicondefsm"
	"ainkeypropertiesrequirednullableitemsrefsclosedformatmaxLengthminLengthmaxGraphemesminGrap"
	"hemesmaxSizeacceptminimummaximumdefaultconstenumknownValuesparametersinputoutputencodingsc"
	"hemaerrorsmessagestringintegerbooleanobjectarraybytescid-linktokenunionunknownparamsqueryp"
	"roceduresubscriptionpermission-setpermissionspermissionresourcecollectionanyliteral:selfti"
	"dnsidat-uriat-identifierhandledatetimelanguagerecord-keyselfapp.bsky.actor.status#liveapp."
	"bsky.feed.defs#contentModeUnspecifiedapp.bsky.feed.defs#contentModeVideogifapp.bsky.graph."
	"defs#modlistapp.bsky.graph.defs#curatelistapp.bsky.graph.defs#referencelistcontentnoneigno"
	"rewarnhideinformalert!hide!warn!no-unauthenticatedpornsexualnuditygraphic-mediabotcom.atpr"
	"oto.moderation.defs#reasonSpamcom.atproto.moderation.defs#reasonViolationcom.atproto.moder"
	"ation.defs#reasonMisleadingcom.atproto.moderation.defs#reasonSexualcom.atproto.moderation."
	"defs#reasonRudecom.atproto.moderation.defs#reasonOthercom.atproto.moderation.defs#reasonAp"
	"pealtools.ozone.report.defs#reasonAppealtools.ozone.report.defs#reasonOthertools.ozone.rep"
	"ort.defs#reasonViolenceAnimaltools.ozone.report.defs#reasonViolenceThreatstools.ozone.repo"
	"rt.defs#reasonViolenceGraphicContenttools.ozone.report.defs#reasonViolenceGlorificationtoo"
	"ls.ozone.report.defs#reasonViolenceExtremistContenttools.ozone.report.defs#reasonViolenceT"
	"raffickingtools.ozone.report.defs#reasonViolenceOthertools.ozone.report.defs#reasonSexualA"
	"buseContenttools.ozone.report.defs#reasonSexualNCIItools.ozone.report.defs#reasonSexualDee"
	"pfaketools.ozone.report.defs#reasonSexualAnimaltools.ozone.report.defs#reasonSexualUnlabel"
	"edtools.ozone.report.defs#reasonSexualOthertools.ozone.report.defs#reasonChildSafetyCSAMto"
	"ols.ozone.report.defs#reasonChildSafetyGroomtools.ozone.report.defs#reasonChildSafetyPriva"
	"cytools.ozone.report.defs#reasonChildSafetyHarassmenttools.ozone.report.defs#reasonChildSa"
	"fetyOthertools.ozone.report.defs#reasonHarassmentTrolltools.ozone.report.defs#reasonHarass"
	"mentTargetedtools.ozone.report.defs#reasonHarassmentHateSpeechtools.ozone.report.defs#reas"
	"onHarassmentDoxxingtools.ozone.report.defs#reasonHarassmentOthertools.ozone.report.defs#re"
	"asonMisleadingBottools.ozone.report.defs#reasonMisleadingImpersonationtools.ozone.report.d"
	"efs#reasonMisleadingSpamtools.ozone.report.defs#reasonMisleadingScamtools.ozone.report.def"
	"s#reasonMisleadingElectionstools.ozone.report.defs#reasonMisleadingOthertools.ozone.report"
	".defs#reasonRuleSiteSecuritytools.ozone.report.defs#reasonRuleProhibitedSalestools.ozone.r"
	"eport.defs#reasonRuleBanEvasiontools.ozone.report.defs#reasonRuleOthertools.ozone.report.d"
	"efs#reasonSelfHarmContenttools.ozone.report.defs#reasonSelfHarmEDtools.ozone.report.defs#r"
	"easonSelfHarmStuntstools.ozone.report.defs#reasonSelfHarmSubstancestools.ozone.report.defs"
	"#reasonSelfHarmOtheraccountchatfollowersmutuals#textAlignLeft#textAlignCenter#textAlignRig"
	"ht#textAlignJustifysmalllargegridcarouselstripmediumpublicunlistedendorsementverificationp"
	"articipationcertificationaffiliationrecognitionacceptedrejectedcoordinate-decimalgeojson-p"
	"ointgeojsonh3geohashwktaddresscountry-codescaledCoordinatescommentinghighlightingbookmarki"
	"ngtaggingdescribinglinkingreplyingeditingquestioningassessingTextQuoteSelectorTextPosition"
	"SelectorCssSelectorXPathSelectorFragmentSelectorRangeSelectorkingdomphylumclassorderfamily"
	"genusspeciessubspeciesvarietyformhttps://creativecommons.org/publicdomain/zero/1.0/https:/"
	"/creativecommons.org/licenses/by/4.0/https://creativecommons.org/licenses/by-nc/4.0/https:"
	"//creativecommons.org/licenses/by-sa/4.0/https://creativecommons.org/licenses/by-nc-sa/4.0"
	"/individualspercent-coverbuzz.bookhive.defs#finishedbuzz.bookhive.defs#readingbuzz.bookhiv"
	"e.defs#wantToReadbuzz.bookhive.defs#abandonedallfollowingusersIFolloweveryonegithub-lighta"
	"uthorcommunity.lexicon.app.defs#purposeIconcommunity.lexicon.app.defs#purposeLogocommunity"
	".lexicon.app.defs#purposeHerocommunity.lexicon.app.defs#purposeScreenshotcommunity.lexicon"
	".app.defs#purposeBannercommunity.lexicon.app.defs#purposeSocialCardcommunity.lexicon.app.d"
	"efs#purposeAppStorecommunity.lexicon.app.defs#purposeAdcommunity.lexicon.app.defs#linkRole"
	"Websitecommunity.lexicon.app.defs#linkRoleWebManifestcommunity.lexicon.app.defs#linkRolePr"
	"ivacyPolicycommunity.lexicon.app.defs#linkRoleTermsOfServicecommunity.lexicon.app.defs#lin"
	"kRoleSupportcommunity.lexicon.app.defs#linkRoleSourceCodecommunity.lexicon.app.defs#linkRo"
	"leDocscommunity.lexicon.app.defs#linkRoleChangelogcommunity.lexicon.app.defs#linkRoleStatu"
	"scommunity.lexicon.app.defs#linkRoleAppStorecommunity.lexicon.app.defs#linkRolePlayStoreco"
	"mmunity.lexicon.app.defs#linkRoleFDroidcommunity.lexicon.app.defs#platformWebcommunity.lex"
	"icon.app.defs#platformIOScommunity.lexicon.app.defs#platformAndroidcommunity.lexicon.app.d"
	"efs#platformMacOScommunity.lexicon.app.defs#platformWindowscommunity.lexicon.app.defs#plat"
	"formLinuxcommunity.lexicon.app.defs#platformCLIcommunity.lexicon.app.defs#unreleasedcommun"
	"ity.lexicon.app.defs#previewcommunity.lexicon.app.defs#releasedcommunity.lexicon.app.defs#"
	"unmaintainedcommunity.lexicon.app.defs#discontinuedcommunity.lexicon.calendar.event#hybrid"
	"community.lexicon.calendar.event#inpersoncommunity.lexicon.calendar.event#virtualcommunity"
	".lexicon.calendar.event#cancelledcommunity.lexicon.calendar.event#plannedcommunity.lexicon"
	".calendar.event#postponedcommunity.lexicon.calendar.event#rescheduledcommunity.lexicon.cal"
	"endar.event#scheduledcommunity.lexicon.calendar.rsvp#interestedcommunity.lexicon.calendar."
	"rsvp#goingcommunity.lexicon.calendar.rsvp#notgoingartistreleaserecordingprofileOnboardingp"
	"layOnboardingcompleteprivacytermssupportcontactdocsblogchangelogsourcestatuscommunitydonat"
	"elicenseotherAtoBBtoAbidirectionalpredationpollinationparasitismherbivorysymbiosismutualis"
	"mcompetitionsheltertransportationovipositionseed_dispersalURLNOTEOPENCLOSEDownermanagerwri"
	"terreadernetwork.habitat.render.schema#textnetwork.habitat.render.schema#datetimenetwork.h"
	"abitat.render.schema#urlnetwork.habitat.render.schema#badgenetwork.habitat.render.schema#l"
	"istnetwork.habitat.render.schema#primarynetwork.habitat.render.schema#secondarynetwork.hab"
	"itat.render.schema#metadata16:94:31:1iframecircularsquarev1favoritesprojectportfolioprogra"
	"mreportauditevidencetestimonialmethodologytopicdomainmethodproposeddeprecatedplace.stream."
	"metadata.contentRights#all-rights-reservedplace.stream.metadata.contentRights#cc0_1__0plac"
	"e.stream.metadata.contentRights#cc-by_4__0place.stream.metadata.contentRights#cc-by-sa_4__"
	"0place.stream.metadata.contentRights#cc-by-nc_4__0place.stream.metadata.contentRights#cc-b"
	"y-nc-sa_4__0place.stream.metadata.contentRights#cc-by-nd_4__0place.stream.metadata.content"
	"Rights#cc-by-nc-nd_4__0place.stream.metadata.contentWarnings#deathplace.stream.metadata.co"
	"ntentWarnings#drugUseplace.stream.metadata.contentWarnings#fantasyViolenceplace.stream.met"
	"adata.contentWarnings#flashingLightsplace.stream.metadata.contentWarnings#languageplace.st"
	"ream.metadata.contentWarnings#nudityplace.stream.metadata.contentWarnings#PIIplace.stream."
	"metadata.contentWarnings#sexualityplace.stream.metadata.contentWarnings#sufferingplace.str"
	"eam.metadata.contentWarnings#violenceopush264ltrrtlsh.tangled.repo.issue.state.opensh.tang"
	"led.repo.issue.state.closedin_progresscompletedpausedmovietv_showvideo_gamealbumbookbook_s"
	"eriesepisodeeptv_seasontv_episodetrackdirectorshowrunnerlead_actorcreatorstudiopublisherde"
	"veloperperformernetwork#finished#in_progress#backlog#abandonedapp.bsky.actor.contentVisibi"
	"lityDeclarationhideFromAlgorithmicRecommendationsapp.bsky.actor.profilewebsitepronounspinn"
	"edPostjoinedViaStarterPackcom.atproto.repo.strongRefcom.atproto.label.defs#selfLabelscom.a"
	"tproto.label.defs#selfLabelapp.bsky.actor.statusdurationMinutesapp.bsky.embed.externalapp."
	"bsky.embed.external#externalassociatedRefscontentModedescriptionFacetsacceptsInteractionsa"
	"pp.bsky.richtext.facetapp.bsky.richtext.facet#mentionapp.bsky.richtext.facet#linkapp.bsky."
	"richtext.facet#tagapp.bsky.richtext.facet#byteSliceapp.bsky.feed.likeentitiesapp.bsky.embe"
	"d.imagesapp.bsky.embed.images#imageapp.bsky.embed.defs#aspectRatioapp.bsky.embed.videovide"
	"ocaptionspresentationapp.bsky.embed.video#captionfilelangapp.bsky.embed.galleryapp.bsky.em"
	"bed.gallery#imageapp.bsky.embed.recordapp.bsky.embed.recordWithMediaapp.bsky.feed.post#ent"
	"ityvalueapp.bsky.feed.post#textSliceendstartapp.bsky.feed.post#replyRefapp.bsky.feed.postg"
	"atepostembeddingRulesdetachedEmbeddingUrisapp.bsky.feed.postgate#disableRuleapp.bsky.feed."
	"threadgateallowhiddenRepliesapp.bsky.feed.threadgate#mentionRuleapp.bsky.feed.threadgate#f"
	"ollowerRuleapp.bsky.feed.threadgate#followingRuleapp.bsky.feed.threadgate#listRuleapp.bsky"
	".graph.blockapp.bsky.graph.followapp.bsky.graph.listblockapp.bsky.graph.listitemapp.bsky.g"
	"raph.starterpackfeedsapp.bsky.graph.starterpack#feedItemapp.bsky.graph.verificationapp.bsk"
	"y.labeler.servicepoliciesreasonTypessubjectTypessubjectCollectionsapp.bsky.labeler.defs#la"
	"belerPolicieslabelValueslabelValueDefinitionscom.atproto.label.defs#labelValueDefinitionbl"
	"urslocalesseverityadultOnlyidentifierdefaultSettingcom.atproto.label.defs#labelValueDefini"
	"tionStringsapp.bsky.notification.declarationallowSubscriptionsapp.certified.actor.organiza"
	"tionurlslocationsignaturesvisibilityfoundedDatelongDescriptionorganizationTypeorg.hypercer"
	"ts.defs#descriptionStringpub.leaflet.pages.linearDocumentblockspub.leaflet.pages.linearDoc"
	"ument#blockblockalignmentpub.leaflet.blocks.iframehtmlpub.leaflet.blocks.iframe#aspectRati"
	"opub.leaflet.blocks.htmlpub.leaflet.blocks.html#aspectRatiopub.leaflet.blocks.texttextSize"
	"plaintextpub.leaflet.richtext.facetpub.leaflet.richtext.facet#linkpub.leaflet.richtext.fac"
	"et#didMentionpub.leaflet.richtext.facet#atMentionhrefatURIpub.leaflet.richtext.facet#codep"
	"ub.leaflet.richtext.facet#highlightcolorpub.leaflet.theme.color#rgbaabgrpub.leaflet.theme."
	"color#rgbpub.leaflet.richtext.facet#underlinepub.leaflet.richtext.facet#strikethroughpub.l"
	"eaflet.richtext.facet#idpub.leaflet.richtext.facet#boldpub.leaflet.richtext.facet#italicpu"
	"b.leaflet.richtext.facet#footnotefootnoteIdcontentFacetscontentPlaintextpub.leaflet.richte"
	"xt.facet#byteSlicepub.leaflet.blocks.blockquotepub.leaflet.blocks.headerlevelpub.leaflet.b"
	"locks.imagefullBleedpub.leaflet.blocks.image#aspectRatiopub.leaflet.blocks.imageGallerygap"
	"maxWidthpub.leaflet.blocks.imageGallery#imagepub.leaflet.blocks.imageGallery#aspectRatiopu"
	"b.leaflet.blocks.unorderedListchildrenpub.leaflet.blocks.unorderedList#listItemcheckedorde"
	"redListChildrenpub.leaflet.blocks.orderedListstartIndexpub.leaflet.blocks.orderedList#list"
	"ItemunorderedListChildrenpub.leaflet.blocks.websitesrcpreviewImagepub.leaflet.blocks.matht"
	"expub.leaflet.blocks.codesyntaxHighlightingThemepub.leaflet.blocks.horizontalRulepub.leafl"
	"et.blocks.bskyPostpostRefclientHostpub.leaflet.blocks.standardSitePostshowPublicationTheme"
	"pub.leaflet.blocks.standardSitePublicationpub.leaflet.blocks.pagepub.leaflet.blocks.pollpo"
	"llRefpub.leaflet.blocks.buttonpub.leaflet.blocks.postsListviewlimitfilterByTagshighlightFi"
	"rstPostpub.leaflet.blocks.signuppub.leaflet.blocks.membersOnlyDelimiterapp.certified.signa"
	"ture.defs#inlinesignatureapp.certified.actor.organization#urlItemlabelapp.certified.actor."
	"profileorg.hypercerts.defs#uriorg.hypercerts.defs#smallImageorg.hypercerts.defs#largeImage"
	"app.certified.badge.awardnotebadgeapp.certified.defs#didapp.certified.badge.definitionicon"
	"badgeTypeallowedIssuersapp.certified.badge.responseweightresponsebadgeAwardapp.certified.g"
	"raph.entityFollowapp.certified.defs#recordSubjectapp.certified.graph.followapp.certified.l"
	"ink.evmproofapp.certified.link.evm#eip712Proofapp.certified.link.evm#eip712Messagenoncecha"
	"inIdtimestampevmAddressapp.certified.locationsrslpVersionlocationTypeorg.hypercerts.defs#s"
	"mallBlobapp.certified.location#stringapp.certified.signature.proofapp.rocksky.actor.status"
	"expiresAtstartedAtapp.rocksky.actor.defs#trackViewdurationMstrackNumberalbumCoverUrlrecord"
	"ingMbIdapp.rocksky.albumyeargenrealbumArtdurationtidalLinkalbumArtUrlreleaseDatespotifyLin"
	"kyoutubeLinkappleMusicLinkapp.rocksky.artistbioborndiedbornInpicturepictureUrlapp.rocksky."
	"feed.generatorapp.rocksky.graph.followapp.rocksky.likeapp.rocksky.playlistapp.rocksky.play"
	"listItemapp.rocksky.song.defs#songViewBasicisrcmbidsha256albumUriartistUriplayCountdiscNum"
	"beralbumArtistuniqueListenersapp.rocksky.radiologoapp.rocksky.rockbox.audio.settingstonecr"
	"ossfadeequalizerupdatedAtreplayGainapp.rocksky.rockbox.defs#crossfadeSettingsmodefadeInDel"
	"ayfadeOutDelayfadeInDurationfadeOutMixModefadeOutDurationapp.rocksky.rockbox.defs#equalize"
	"rSettingsbandsprecutenabledapp.rocksky.rockbox.defs#equalizerBandqgainfrequencyapp.rocksky"
	".rockbox.defs#replayGainSettingspreamppreventClippingapp.rocksky.rockbox.defs#toneSettings"
	"basstreblebalancechannelsapp.rocksky.scrobblewikilyricsartistscomposercopyrightMessageapp."
	"rocksky.artist.defs#artistMbidapp.rocksky.shoutapp.rocksky.shout.defs#mentionapp.rocksky.s"
	"hout.defs#gifpreviewUrlapp.rocksky.songat.margin.annotationbodytargetmotivationat.margin.a"
	"nnotation#bodyat.margin.annotation#targetstateselectorsourceHashat.margin.annotation#textQ"
	"uoteSelectorexactprefixsuffixat.margin.annotation#textPositionSelectorat.margin.annotation"
	"#cssSelectorat.margin.annotation#xpathSelectorat.margin.annotation#fragmentSelectorconform"
	"sToat.margin.annotation#rangeSelectorendSelectorstartSelectorat.margin.annotation#timeStat"
	"ecachedsourceDateat.margin.bookmarkat.margin.collectionat.margin.collectionItempositionann"
	"otationat.margin.highlightat.margin.likeat.margin.like#subjectRefat.margin.profilelinksat."
	"margin.replyat.margin.reply#replyRefbio.lexicons.temp.v0-1.identificationtaxonIDtaxonRanko"
	"ccurrencescientificNameidentificationRemarksbio.lexicons.temp.v0-1.mediabio.lexicons.temp."
	"v0-1.media#aspectRatiobio.lexicons.temp.v0-1.occurrenceeventDatedecimalLatitudedecimalLong"
	"itudeorganismQuantityorganismQuantityTypeacceptedIdentificationIDcoordinateUncertaintyInMe"
	"tersblue.moji.collection.itemcopyOfformatsfallbackTextblue.moji.collection.item#formats_v0"
	"lottiegif_128png_128apng_128originalwebp_128blue.moji.packs.packblue.moji.richtext.facetbl"
	"ue.moji.richtext.facet#formats_v0blue.moji.packs.packitempackbuzz.bookhive.bookcoverowneds"
	"tarshiveIdreviewauthorsfinishedAthiveBookUriidentifiersbookProgresspreviousReadsbuzz.bookh"
	"ive.defs#bookProgresspercenttotalPagescurrentPagetotalChapterscurrentChapterbuzz.bookhive."
	"defs#bookIdentifiersisbn10isbn13goodreadsIdbuzz.bookhive.defs#previousReadbuzz.bookhive.bu"
	"zzcommentbuzz.bookhive.catalogBookgenresratingseriesnumPagessourceIdauthorBiocoverBlobsour"
	"ceUrlthumbnailratingsCountthumbnailBlobpublicationYearsecondaryAuthorsratingsDistributionb"
	"uzz.bookhive.defs#secondaryAuthorrolebuzz.bookhive.hiveBookchat.bsky.actor.declarationallo"
	"wIncomingallowGroupInvitescom.atproto.lexicon.schemacom.germnetwork.declarationversionmess"
	"ageMecurrentKeykeyPackagecontinuityProofscom.germnetwork.declaration#messageMemessageMeUrl"
	"showButtonTocom.whtwnd.blog.commententryUricom.whtwnd.blog.entryogpblobsthemeisDraftcom.wh"
	"twnd.blog.defs#blobMetadatablobrefcom.whtwnd.blog.defs#ogpcommunity.lexicon.app.entrylexic"
	"onsplatformsprofileDidaccountIndicatorscommunity.lexicon.app.defs#accountIndicatorrkeycomm"
	"unity.lexicon.app.defs#imagecommunity.lexicon.app.defs#aspectRatiocommunity.lexicon.app.de"
	"fs#lexiconInteropconsumesproducescommunity.lexicon.app.defs#linkcommunity.lexicon.app.prof"
	"ilecommunity.lexicon.app.profileLocalizationlocalecommunity.lexicon.bookmarks.bookmarkcomm"
	"unity.lexicon.calendar.eventurisendsAtstartsAtlocationscommunity.lexicon.calendar.event#ur"
	"icommunity.lexicon.location.addressregionstreetcountrylocalitypostalCodecommunity.lexicon."
	"location.fsqlatitudelongitudefsq_place_idcommunity.lexicon.location.geoaltitudecommunity.l"
	"exicon.location.hthreecommunity.lexicon.calendar.inviteinviteecommunity.lexicon.calendar.r"
	"svpcommunity.lexicon.interaction.likecommunity.lexicon.payments.webMonetizationcommunity.l"
	"exicon.preference.aiscopepreferencescommunity.lexicon.preference.ai#preferenceSettraininge"
	"mbeddinginferencesyntheticContentcommunity.lexicon.preference.ai#preferencecommunity.lexic"
	"on.preference.ai#globalScopecommunity.lexicon.preference.ai#entityScopeentitycommunity.lex"
	"icon.preference.ai#collectionScopefm.teal.actor.profilefeaturedItemfm.teal.actor.profile#f"
	"eaturedItemfm.teal.actor.profileStatuscompletedOnboardingfm.teal.actor.statusitemtimeexpir"
	"yfm.teal.feed.defs#playVieworiginUritrackMbIdtrackNameplayedTimereleaseMbIdreleaseNamemusi"
	"cServiceUrisubmissionClientAgentfm.teal.feed.defs#artistartistMbIdartistNamefm.teal.alpha."
	"actor.profilefm.teal.alpha.actor.profile#featuredItemfm.teal.alpha.actor.statusfm.teal.alp"
	"ha.feed.defs#playVieworiginUrlmusicServiceBaseDomainfm.teal.alpha.feed.defs#artistfm.teal."
	"alpha.feed.playartistMbIdsartistNamestrackDiscriminantreleaseDiscriminantfm.teal.feed.play"
	"fyi.atstore.listing.detailslugappTagstaglineheroImageexternalUrlscreenshotscategorySlugmig"
	"ratedFromAtUriproductAccountDidfyi.atstore.listing.detail#linkfyi.atstore.listing.favorite"
	"fyi.atstore.listing.reviewfyi.atstore.listing.reviewReplyfyi.atstore.profilefyi.frontpage."
	"feed.commentfyi.frontpage.richtext.blockfyi.frontpage.richtext.block#plaintextParagraphfyi"
	".frontpage.feed.postfyi.frontpage.feed.post#urlSubjectfyi.frontpage.feed.votefyi.unravel.f"
	"rontpage.commentfyi.unravel.frontpage.postfyi.unravel.frontpage.voteing.observ.temp.commen"
	"treplyToing.observ.temp.interactionsubjectAsubjectBdirectioninteractionTypeing.observ.temp"
	".interaction#interactionSubjecttaxoning.observ.temp.interaction#taxoning.observ.temp.liken"
	"etwork.cosmik.cardparentCardprovenanceoriginalCardnetwork.cosmik.card#urlContentmetadatane"
	"twork.cosmik.card#urlMetadatadoiisbnimageUrlsiteNameretrievedAtpublishedDatenetwork.cosmik"
	".card#noteContentnetwork.cosmik.defs#provenancenetwork.cosmik.collectionaccessTypecollabor"
	"atorsnetwork.cosmik.collectionLinkcardaddedAtaddedBynetwork.cosmik.collectionLinkRemovalre"
	"movedAtremovedLinknetwork.cosmik.connectionconnectionTypenetwork.cosmik.follownetwork.habi"
	"tat.docs.crdtnetwork.habitat.docs.markdownnetwork.habitat.group.profilenetwork.habitat.pho"
	"tonetwork.habitat.relationship.spaceRelationrelationsubjectRolenetwork.habitat.relationshi"
	"p.userRelationnetwork.habitat.render.schemafieldstargetLexiconnetwork.habitat.render.schem"
	"a#fieldSchemapathoptionalprioritydisplayTypeorg.hyperboards.boardconfigcontributorConfigso"
	"rg.hyperboards.board#boardConfigimageShapeborderColorbackgroundTypebackgroundColorbackgrou"
	"ndImagegrayscaleImagesbackgroundOpacitybackgroundGrayscalebackgroundIframeUrlorg.hyperboar"
	"ds.board#contributorConfigoverridehoverImagecontributorhoverIframeUrlorg.hypercerts.claim."
	"activity#contributorIdentityidentityorg.hypercerts.defs#smallVideoorg.hyperboards.displayP"
	"rofileorg.hypercerts.claim.activityrightsendDatestartDateworkScopecontributorsshortDescrip"
	"tionshortDescriptionFacetsorg.hypercerts.claim.activity#contributorcontributionWeightcontr"
	"ibutionDetailscontributorIdentityorg.hypercerts.claim.activity#contributorRoleorg.hypercer"
	"ts.workscope.celusedTagsexpressionorg.hypercerts.claim.activity#workScopeStringorg.hyperce"
	"rts.claim.contributioncontributionDescriptionorg.hypercerts.claim.contributorInformationor"
	"g.hypercerts.claim.rightsattachmentrightsNamerightsTyperightsDescriptionorg.hypercerts.col"
	"lectionorg.hypercerts.collection#itemitemWeightitemIdentifierorg.hypercerts.context.acknow"
	"ledgementcontextacknowledgedorg.hypercerts.context.attachmentsubjectscontentTypeorg.hyperc"
	"erts.context.evaluationscoresummaryevaluatorsmeasurementsorg.hypercerts.context.evaluation"
	"#scoremaxminorg.hypercerts.context.measurementunitmetricmeasurersmethodURImethodTypeeviden"
	"ceURIcommentFacetsorg.hypercerts.funding.receipttoforfromnotesamountcurrencyoccurredAtpaym"
	"entRailtransactionIdpaymentNetworkorg.hypercerts.funding.receipt#textorg.hypercerts.worksc"
	"ope.tagsameAsaliasescategorysupersededByreferenceDocumentparts.page.mention.configservices"
	"parts.page.mention.servicecanBeScopedToDidplace.stream.broadcast.originserverstreamerirohT"
	"icketbroadcasterwebsocketURLplace.stream.broadcast.syndicationplace.stream.chat.gatehidden"
	"Messageplace.stream.chat.messageplace.stream.richtext.facetplace.stream.chat.message#reply"
	"Refplace.stream.chat.profileplace.stream.chat.profile#colorredbluegreenplace.stream.keycre"
	"atedBysigningKeyplace.stream.live.recommendationsstreamersplace.stream.livestreamagentcano"
	"nicalUrlnotificationSettingsplace.stream.livestream#notificationSettingspushNotificationpl"
	"ace.stream.metadata.configurationcontentRightscontentWarningsdistributionPolicyplace.strea"
	"m.metadata.contentRightscreditLinecopyrightYearcopyrightNoticeplace.stream.metadata.conten"
	"tWarningswarningsplace.stream.metadata.distributionPolicydeleteAfterallowedBroadcasterspla"
	"ce.stream.segmentaudiostartTimeplace.stream.segment#audioratecodecplace.stream.segment#vid"
	"eobframesframerateplace.stream.segment#frameratedennumplace.stream.server.settingsdebugRec"
	"ordingpub.leaflet.commentonPagepub.leaflet.comment#linearDocumentQuotequotedocumentpub.lea"
	"flet.pages.linearDocument#quotepub.leaflet.pages.linearDocument#positionoffsetpub.leaflet."
	"comment#replyRefpub.leaflet.documentpagescoverImagepublicationpublishedAtpub.leaflet.pages"
	".canvaspub.leaflet.pages.canvas#blockxyrotationpub.leaflet.publication#preferencesshowComm"
	"entsshowMentionsshowPrevNextshowFirstLastshowInDiscovershowRecommendsprevNextDirectionpub."
	"leaflet.publication#themeprimarybodyFontwordmarkpageWidthaccentTextheadingFontpageBackgrou"
	"ndaccentBackgroundshowPageBackgroundpub.leaflet.theme.backgroundImagerepeatpub.leaflet.the"
	"me.wordmarkpub.leaflet.theme.wordmark#aspectRatiopub.leaflet.graph.recommendationsrecommen"
	"dationspub.leaflet.graph.subscriptionpub.leaflet.interactions.recommendpub.leaflet.poll.de"
	"finitionoptionspub.leaflet.poll.definition#optionpub.leaflet.poll.votepolloptionpub.leafle"
	"t.publicationbase_pathpub.leaflet.publicationPagepub.leaflet.contentblobPagessh.tangled.fe"
	"ed.starsh.tangled.graph.followsh.tangled.knot.membermembersh.tangled.publicKeycreatedsh.ta"
	"ngled.repoknotsh.tangled.repo.issuerepoissueIdsh.tangled.repo.issue.commentissuecommentIds"
	"h.tangled.repo.issue.statesite.standard.documentsitebskyPostReftextContentsite.standard.do"
	"cument#contributorsite.standard.graph.recommendsite.standard.graph.subscriptionsite.standa"
	"rd.publicationbasicThemesite.standard.theme.basicaccentbackgroundforegroundaccentForegroun"
	"dsite.standard.theme.color#rgbsite.standard.publication#preferencessocial.grain.actor.prof"
	"ilesocial.grain.commentfocussocial.grain.favoritesocial.grain.gallerysocial.grain.gallery."
	"itemgallerysocial.grain.graph.blocksocial.grain.graph.followsocial.grain.photophotosocial."
	"grain.defs#aspectRatiosocial.grain.photo.exifiSOmakeflashmodelfNumberlensMakelensModelexpo"
	"sureTimedateTimeOriginalfocalLengthIn35mmFormatsocial.grain.storysocial.popfeed.feed.listo"
	"rderedlistTypeitemOrdersocial.popfeed.feed.listItemposterlistUribackdropposterUrlmainCredi"
	"tbackdropUrlcompletedAtmainCreditRolewatchedEpisodescreativeWorkTypesocial.popfeed.feed.li"
	"stItem#bookProgresssocial.popfeed.feed.listItem#identifiersasinmbIdigdbIdimdbIdtmdbIdmbRel"
	"easeIdseasonNumberepisodeNumbertmdbTvSeriesIdparentMbReleaseIdsocial.popfeed.feed.listItem"
	"#watchedEpisodereply.parentreply.rootfacets[].features[].didfacets[].features[]embed.recor"
	"dembed.record.recordembed.externalembed.media.externalhiddenReplies[]allow[].listdetachedE"
	"mbeddingUris[]feeds[]descriptionFacets[].features[].diddescriptionFacets[].features[]items"
	"[]pullsh.tangled.repo.pullsh.tangled.repo.pull.commentsh.tangled.repo.pull.statussh.tangle"
	"d.feed.reactionsocial.pinksky.app.preferenceplace.stream.live.teleportsh.tangled.actor.pro"
	"filesh.tangled.stringsh.tangled.spindlesh.tangled.spindle.membersh.tangled.knotsh.tangled."
	"pipelinesh.tangled.label.definitionsh.tangled.label.opsh.tangled.repo.artifactsh.tangled.r"
	"epo.collaboratorsh.tangled.git.refUpdateblue.flashes.actor.profileblue.flashes.feed.postbl"
	"ue.linkat.boardcom.shinolabs.pinksea.oekakievents.smokesignal.calendar.eventevents.smokesi"
	"gnal.calendar.rsvpevents.smokesignal.app.profilemy.skylights.relso.sprk.actor.profileso.sp"
	"rk.feed.postso.sprk.feed.likeso.sprk.feed.replyso.sprk.graph.followxyz.statusphere.statusm"
	"embers[]streamers[]recommendations[]subjects[]items[].itemIdentifierprovenance.viacontribu"
	"tors[].didcontributors[].contributorIdentitylocations[]allowedIssuers[].didevaluators[].di"
	"dmeasurers[].didcontentRights.creatortrack.artisttrack.albumpages[].blocks[].block.postRef"
	"pages[].blocks[].block.facets[].features[].didpages[].blocks[].block.facets[].features[].a"
	"tURIpages[].blocks[].block.facets[].features[]content.pages[].blocks[].block.postRefconten"
	"t.pages[].blocks[].block.facets[].features[].didcontent.pages[].blocks[].block.facets[].fe"
	"atures[].atURI"
;

static const uint32_t string_offset[STRINGS + 1] = {
	0, 5, 9, 18, 25, 28, 31, 36, 41, 45, 51, 56, 62, 67, 75, 84, 91, 94, 97, 103, 108, 111, 114,
	118, 126, 137, 142, 148, 156, 161, 166, 177, 183, 188, 194, 200, 203, 207, 211, 222, 228,
	234, 238, 245, 248, 250, 252, 254, 256, 258, 260, 262, 264, 266, 268, 270, 272, 274, 276,
	278, 280, 282, 284, 294, 303, 313, 322, 331, 335, 353, 372, 395, 415, 418, 422, 427, 432,
	437, 442, 448, 453, 458, 465, 472, 474, 476, 478, 480, 482, 484, 486, 488, 490, 492, 494,
	496, 498, 500, 502, 504, 506, 508, 510, 512, 514, 516, 518, 520, 522, 524, 526, 528, 530,
	532, 534, 536, 538, 540, 542, 544, 546, 548, 550, 552, 554, 556, 558, 560, 562, 564, 566,
	568, 570, 572, 575, 578, 581, 584, 587, 589, 591, 593, 595, 600, 605, 610, 615, 620, 625,
	630, 635, 640, 645, 650, 655, 660, 665, 670, 675, 680, 690, 700, 713, 722, 732, 748, 763,
	787, 803, 818, 828, 841, 850, 858, 866, 876, 885, 894, 903, 913, 923, 938, 954, 957, 964,
	971, 978, 985, 989, 993, 996, 1006, 1014, 1022, 1027, 1031, 1037, 1043, 1052, 1061, 1073,
	1085, 1092, 1098, 1105, 1112, 1119, 1124, 1128, 1139, 1149, 1154, 1160, 1168, 1174, 1180,
	1187, 1193, 1200, 1207, 1213, 1218, 1223, 1231, 1236, 1241, 1248, 1254, 1259, 1268, 1280,
	1294, 1305, 1315, 1323, 1333, 1336, 1348, 1351, 1355, 1361, 1374, 1380, 1388, 1396, 1406,
	1410, 1436, 1477, 1512, 1515, 1542, 1572, 1605, 1612, 1616, 1622, 1626, 1630, 1636, 1641,
	1646, 1651, 1670, 1674, 1680, 1686, 1699, 1702, 1740, 1783, 1827, 1867, 1905, 1944, 1984,
	2020, 2055, 2099, 2144, 2196, 2247, 2301, 2350, 2393, 2441, 2481, 2525, 2567, 2612, 2653,
	2698, 2744, 2792, 2843, 2889, 2934, 2982, 3032, 3079, 3124, 3167, 3220, 3264, 3308, 3357,
	3402, 3448, 3497, 3541, 3580, 3625, 3665, 3709, 3757, 3800, 3807, 3811, 3820, 3827, 3841,
	3857, 3872, 3889, 3894, 3899, 3903, 3911, 3916, 3922, 3928, 3936, 3947, 3959, 3972, 3985,
	3996, 4007, 4015, 4023, 4041, 4054, 4061, 4063, 4070, 4073, 4080, 4092, 4109, 4119, 4131,
	4142, 4149, 4159, 4166, 4174, 4181, 4192, 4201, 4218, 4238, 4249, 4262, 4278, 4291, 4298,
	4304, 4309, 4314, 4320, 4325, 4332, 4342, 4349, 4353, 4403, 4447, 4494, 4541, 4591, 4602,
	4615, 4642, 4668, 4697, 4725, 4728, 4737, 4749, 4757, 4769, 4775, 4813, 4851, 4889, 4933,
	4973, 5017, 5059, 5095, 5137, 5183, 5231, 5280, 5322, 5367, 5406, 5450, 5491, 5534, 5578,
	5619, 5657, 5695, 5737, 5777, 5819, 5859, 5897, 5934, 5968, 6003, 6042, 6081, 6120, 6161,
	6201, 6243, 6283, 6325, 6369, 6411, 6453, 6490, 6530, 6536, 6543, 6552, 6569, 6583, 6591,
	6598, 6603, 6610, 6617, 6621, 6625, 6634, 6640, 6646, 6655, 6661, 6668, 6673, 6677, 6681,
	6694, 6703, 6714, 6724, 6733, 6742, 6751, 6762, 6769, 6783, 6794, 6808, 6811, 6815, 6819,
	6825, 6830, 6837, 6843, 6849, 6883, 6921, 6954, 6989, 7023, 7060, 7099, 7137, 7141, 7144,
	7147, 7153, 7161, 7167, 7169, 7178, 7185, 7194, 7201, 7207, 7212, 7220, 7231, 7242, 7247,
	7253, 7259, 7267, 7277, 7332, 7376, 7422, 7471, 7520, 7572, 7621, 7673, 7716, 7761, 7814,
	7866, 7912, 7956, 7997, 8044, 8091, 8137, 8141, 8145, 8148, 8151, 8183, 8217, 8228, 8237,
	8243, 8248, 8255, 8265, 8270, 8274, 8285, 8292, 8294, 8303, 8313, 8318, 8326, 8336, 8346,
	8353, 8359, 8368, 8377, 8386, 8393, 8402, 8414, 8422, 8432, 8475, 8509, 8531, 8538, 8546,
	8556, 8576, 8602, 8635, 8667, 8688, 8703, 8726, 8758, 8772, 8783, 8800, 8819, 8842, 8873,
	8901, 8928, 8961, 8979, 8987, 9008, 9035, 9066, 9086, 9091, 9099, 9111, 9139, 9143, 9147,
	9169, 9197, 9218, 9248, 9273, 9278, 9306, 9309, 9314, 9341, 9363, 9367, 9381, 9402, 9436,
	9460, 9465, 9478, 9514, 9551, 9589, 9622, 9642, 9663, 9687, 9710, 9736, 9741, 9776, 9803,
	9827, 9835, 9846, 9858, 9876, 9913, 9924, 9945, 9988, 9993, 10000, 10008, 10017, 10027,
	10041, 10091, 10124, 10142, 10174, 10178, 10186, 10196, 10206, 10217, 10232, 10248, 10285,
	10317, 10323, 10361, 10366, 10375, 10400, 10404, 10441, 10464, 10499, 10522, 10530, 10539,
	10565, 10596, 10633, 10669, 10673, 10678, 10709, 10745, 10750, 10778, 10779, 10780, 10781,
	10782, 10809, 10845, 10885, 10914, 10945, 10978, 11013, 11023, 11036, 11052, 11088, 11117,
	11142, 11147, 11171, 11180, 11216, 11247, 11250, 11258, 11295, 11338, 11370, 11378, 11419,
	11426, 11445, 11475, 11485, 11524, 11545, 11571, 11574, 11586, 11609, 11612, 11635, 11658,
	11691, 11718, 11725, 11735, 11770, 11790, 11832, 11855, 11878, 11885, 11910, 11938, 11942,
	11947, 11959, 11977, 12002, 12041, 12076, 12085, 12125, 12130, 12157, 12180, 12210, 12240,
	12265, 12269, 12274, 12296, 12326, 12330, 12339, 12353, 12381, 12387, 12395, 12405, 12437,
	12469, 12495, 12517, 12522, 12556, 12592, 12597, 12604, 12613, 12623, 12645, 12648, 12657,
	12669, 12698, 12727, 12756, 12780, 12789, 12798, 12830, 12840, 12851, 12864, 12877, 12894,
	12898, 12903, 12911, 12919, 12928, 12939, 12950, 12961, 12972, 12986, 13004, 13007, 13011,
	13015, 13021, 13028, 13038, 13064, 13088, 13104, 13124, 13148, 13183, 13187, 13191, 13197,
	13205, 13214, 13223, 13233, 13244, 13259, 13276, 13280, 13314, 13318, 13327, 13336, 13345,
	13355, 13397, 13401, 13412, 13424, 13438, 13452, 13467, 13509, 13514, 13520, 13527, 13565,
	13566, 13570, 13579, 13622, 13628, 13643, 13680, 13684, 13690, 13697, 13705, 13725, 13729,
	13735, 13742, 13750, 13766, 13800, 13817, 13847, 13873, 13883, 13899, 13919, 13923, 13929,
	13939, 13964, 13991, 13996, 14004, 14014, 14052, 14057, 14063, 14069, 14110, 14142, 14176,
	14213, 14223, 14257, 14268, 14281, 14311, 14317, 14327, 14345, 14365, 14389, 14397, 14407,
	14426, 14440, 14465, 14482, 14487, 14502, 14526, 14563, 14570, 14579, 14589, 14603, 14624,
	14652, 14692, 14725, 14734, 14749, 14765, 14781, 14801, 14825, 14854, 14879, 14885, 14892,
	14904, 14940, 14946, 14953, 14960, 14968, 14976, 14984, 15004, 15028, 15063, 15087, 15091,
	15109, 15114, 15119, 15124, 15130, 15136, 15143, 15153, 15164, 15175, 15187, 15200, 15231,
	15238, 15248, 15259, 15272, 15286, 15320, 15326, 15332, 15343, 15374, 15392, 15399, 15424,
	15430, 15436, 15442, 15450, 15458, 15467, 15476, 15485, 15494, 15506, 15519, 15534, 15550,
	15569, 15603, 15607, 15629, 15656, 15669, 15686, 15712, 15739, 15746, 15755, 15765, 15775,
	15791, 15828, 15840, 15852, 15875, 15883, 15904, 15907, 15912, 15917, 15924, 15957, 15964,
	15988, 16015, 16023, 16032, 16042, 16059, 16102, 16106, 16138, 16176, 16217, 16225, 16233,
	16264, 16293, 16334, 16340, 16376, 16408, 16412, 16418, 16426, 16435, 16471, 16505, 16511,
	16517, 16524, 16532, 16542, 16572, 16580, 16589, 16601, 16631, 16639, 16672, 16705, 16712,
	16743, 16777, 16819, 16850, 16855, 16866, 16911, 16919, 16928, 16937, 16953, 16995, 17038,
	17081, 17087, 17134, 17155, 17167, 17201, 17228, 17247, 17267, 17271, 17275, 17281, 17307,
	17316, 17325, 17334, 17344, 17355, 17366, 17381, 17402, 17426, 17436, 17446, 17473, 17513,
	17539, 17571, 17580, 17602, 17632, 17655, 17666, 17677, 17694, 17713, 17730, 17756, 17760,
	17767, 17774, 17783, 17794, 17805, 17817, 17834, 17851, 17882, 17910, 17936, 17967, 17986,
	18012, 18040, 18087, 18110, 18144, 18167, 18196, 18222, 18248, 18271, 18278, 18305, 18313,
	18321, 18330, 18345, 18391, 18396, 18429, 18449, 18468, 18478, 18488, 18500, 18530, 18538,
	18569, 18572, 18576, 18584, 18592, 18603, 18616, 18647, 18677, 18702, 18712, 18725, 18754,
	18758, 18765, 18772, 18808, 18817, 18828, 18853, 18867, 18888, 18913, 18942, 18971, 18992,
	19034, 19042, 19053, 19094, 19123, 19129, 19142, 19183, 19187, 19195, 19203, 19214, 19235,
	19241, 19259, 19292, 19302, 19313, 19327, 19342, 19357, 19372, 19389, 19408, 19427, 19466,
	19474, 19484, 19495, 19509, 19558, 19566, 19596, 19626, 19655, 19661, 19668, 19677, 19686,
	19698, 19714, 19736, 19777, 19795, 19814, 19833, 19878, 19906, 19914, 19924, 19969, 20002,
	20025, 20068, 20095, 20105, 20115, 20125, 20142, 20167, 20197, 20207, 20221, 20259, 20266,
	20278, 20311, 20319, 20330, 20363, 20368, 20375, 20385, 20397, 20436, 20439, 20442, 20476,
	20480, 20486, 20495, 20504, 20514, 20525, 20538, 20568, 20570, 20573, 20577, 20582, 20588,
	20596, 20606, 20617, 20630, 20644, 20679, 20707, 20713, 20720, 20728, 20740, 20757, 20782,
	20790, 20816, 20832, 20861, 20867, 20875, 20885, 20896, 20908, 20942, 20964, 20977, 21002,
	21029, 21063, 21088, 21119, 21122, 21126, 21131, 21147, 21156, 21166, 21199, 21208, 21231,
	21236, 21248, 21268, 21312, 21328, 21363, 21376, 21391, 21409, 21444, 21454, 21467, 21482,
	21519, 21527, 21567, 21578, 21597, 21617, 21622, 21631, 21657, 21661, 21666, 21692, 21699,
	21708, 21738, 21741, 21744, 21772, 21786, 21805, 21811, 21850, 21855, 21863, 21901, 21942,
	21948, 21976, 21996, 22001, 22011, 22022, 22033, 22057, 22087, 22088, 22089, 22097, 22132,
	22144, 22156, 22168, 22181, 22195, 22209, 22226, 22255, 22262, 22270, 22278, 22287, 22297,
	22308, 22322, 22338, 22356, 22389, 22395, 22421, 22459, 22492, 22507, 22537, 22571, 22598,
	22605, 22639, 22660, 22664, 22670, 22693, 22702, 22729, 22748, 22757, 22777, 22800, 22822,
	22828, 22848, 22855, 22870, 22874, 22895, 22899, 22906, 22935, 22940, 22949, 22976, 22998,
	23002, 23013, 23024, 23058, 23087, 23119, 23144, 23154, 23179, 23185, 23195, 23205, 23221,
	23250, 23287, 23313, 23333, 23338, 23359, 23379, 23404, 23411, 23435, 23460, 23478, 23483,
	23512, 23535, 23538, 23542, 23547, 23552, 23559, 23567, 23576, 23588, 23604, 23627, 23645,
	23669, 23676, 23684, 23693, 23721, 23727, 23734, 23742, 23751, 23761, 23772, 23783, 23797,
	23812, 23828, 23869, 23909, 23913, 23917, 23923, 23929, 23935, 23946, 23958, 23971, 23985,
	24002, 24045, 24057, 24067, 24090, 24109, 24121, 24140, 24154, 24174, 24189, 24201, 24224,
	24231, 24265, 24295, 24302, 24306, 24326, 24354, 24381, 24405, 24434, 24460, 24484, 24501,
	24519, 24544, 24559, 24578, 24605, 24624, 24648, 24676, 24700, 24726, 24748, 24765, 24793,
	24826, 24858, 24888, 24904, 24925, 24942, 24959, 24977, 24997, 25019, 25028, 25039, 25056,
	25066, 25088, 25102, 25120, 25154, 25165, 25185, 25201, 25216, 25237, 25249, 25260, 25290,
	25336, 25384, 25426, 25464, 25518, 25574,
};

static const uint16_t string_slot[SLOTS] = {
	65535, 65535, 1285, 65535, 65535, 65535, 65535, 912, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 405, 65535, 65535, 65535, 1376, 725, 767, 65535, 65535, 65535, 65535, 65535,
	65535, 1411, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 559, 65535, 65535, 1282, 65535, 65535, 65535,
	65535, 65535, 65535, 381, 1330, 65535, 65535, 65535, 65535, 65535, 65535, 501, 914, 1333,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 387, 1042, 65535, 65535, 970, 65535, 65535,
	293, 65535, 65535, 65535, 670, 65535, 65535, 65535, 778, 65535, 1322, 65535, 65535, 65535,
	65535, 65535, 184, 100, 65535, 65535, 1169, 65535, 65535, 492, 65535, 746, 1275, 65535,
	65535, 1049, 1293, 1457, 287, 380, 751, 148, 1350, 1404, 65535, 65535, 65535, 65535, 65535,
	1266, 649, 65535, 65535, 65535, 65535, 1465, 65535, 65535, 674, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 108, 65535, 279, 65535, 722, 340, 439, 609, 65535, 65535, 338, 1216,
	659, 65535, 65535, 1092, 1061, 65535, 65535, 66, 65535, 65535, 1417, 65535, 65535, 65535,
	65535, 80, 662, 808, 1103, 65535, 65535, 709, 1025, 65535, 65535, 86, 951, 1336, 65535,
	65535, 1236, 65535, 65535, 360, 65535, 712, 214, 386, 907, 638, 65535, 65535, 65535, 65535,
	238, 65535, 65535, 65535, 317, 65535, 1163, 1057, 217, 513, 653, 680, 345, 434, 815, 848,
	1219, 65535, 371, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 1227,
	65535, 65535, 65535, 614, 65535, 65535, 65535, 65535, 65535, 1406, 65535, 1107, 65535,
	65535, 65535, 65535, 122, 65535, 65535, 1424, 1082, 65535, 65535, 375, 1234, 65535, 274,
	295, 65535, 369, 65535, 245, 794, 65535, 65535, 65535, 65535, 1264, 65535, 65535, 645,
	65535, 65535, 65535, 65535, 65535, 65535, 1196, 1444, 65535, 900, 65535, 65535, 1168, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 923, 455, 1083, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 1501, 832, 65535, 65535, 1224, 1267, 503, 632, 897, 65535, 65535, 1152,
	65535, 65535, 65535, 54, 1113, 915, 1473, 65535, 314, 65535, 65535, 363, 65535, 395, 65535,
	65535, 65535, 65535, 65535, 1442, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 1481,
	65535, 1389, 65535, 309, 65535, 65535, 65535, 65535, 893, 65535, 65535, 65535, 1031, 65535,
	65535, 65535, 65535, 289, 505, 1117, 1274, 65535, 65535, 65535, 34, 65535, 65535, 65535,
	65535, 251, 65535, 249, 65535, 1218, 65535, 1238, 311, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 292, 65535, 1403, 565, 167, 65535, 65535, 631, 65535, 65535, 116, 482,
	1056, 1165, 65535, 65535, 65535, 935, 1221, 65535, 65535, 762, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 939, 65535, 65535,
	65535, 1258, 65535, 65535, 65535, 65535, 65535, 136, 203, 765, 770, 65535, 65535, 235, 351,
	82, 516, 209, 852, 883, 961, 65535, 276, 1366, 65535, 602, 65535, 625, 467, 1162, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 514, 65535, 312, 325, 1000, 496, 1053, 1078, 582,
	65535, 65535, 65535, 65535, 65535, 1075, 1241, 65535, 65535, 213, 1237, 745, 401, 1456,
	65535, 65535, 941, 65535, 65535, 1055, 65535, 65535, 65535, 65535, 65535, 65535, 53, 305,
	343, 1332, 65535, 65535, 523, 1400, 999, 65535, 65535, 65535, 64, 668, 65535, 65535, 65535,
	65535, 65535, 307, 154, 250, 447, 1100, 210, 1200, 97, 411, 1472, 189, 65535, 65535, 581,
	46, 70, 65535, 1391, 65535, 65535, 65535, 65535, 1032, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 1145, 1147, 65535, 65535, 65535, 65535, 65535, 65535, 193, 1232,
	65535, 65535, 1176, 1468, 65535, 682, 879, 560, 475, 27, 1313, 1387, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 754, 65535, 903, 816, 65535, 851, 65535,
	65535, 65535, 690, 65535, 65535, 451, 477, 65535, 65535, 65535, 65535, 853, 726, 1084, 1231,
	1395, 65535, 1036, 735, 1379, 65535, 65535, 65535, 65535, 65535, 65535, 1396, 168, 669,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 1345, 56, 65535, 65535, 65535,
	65535, 717, 65535, 536, 65535, 552, 65535, 65535, 1214, 65535, 65535, 65535, 95, 337, 1002,
	65535, 65535, 65535, 65535, 65535, 1303, 65535, 65535, 1344, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 1334, 65535, 65535, 734, 566, 553, 1349, 1301, 1007, 65535, 239, 65535,
	65535, 578, 259, 1310, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 1249, 485, 825, 65535, 65535, 65535, 65535, 886, 896, 65535, 65535,
	840, 728, 65535, 65535, 65535, 65535, 65535, 65535, 1494, 65535, 65535, 491, 1066, 828,
	65535, 65535, 65535, 856, 65535, 65535, 65535, 1132, 65535, 790, 549, 529, 1035, 65535,
	65535, 1405, 65535, 65535, 404, 65535, 65535, 65535, 266, 678, 1276, 65535, 65535, 65535,
	1505, 65535, 65535, 65535, 1228, 65535, 1240, 264, 65535, 929, 677, 569, 1432, 138, 394,
	65535, 65535, 478, 1342, 65535, 905, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 1265,
	65535, 65535, 65535, 928, 65535, 65535, 65535, 65535, 65535, 1253, 3, 755, 1439, 875, 65535,
	332, 65535, 65535, 246, 1452, 216, 65535, 65535, 1111, 65535, 556, 783, 65535, 65535, 397,
	65535, 65535, 444, 65535, 994, 558, 65535, 65535, 65535, 65535, 1418, 65535, 65535, 65535,
	65535, 52, 704, 1469, 65535, 1409, 1500, 803, 65535, 65535, 65535, 1252, 65535, 65535,
	65535, 626, 65535, 1151, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 196, 1050, 1065,
	65535, 1064, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 761, 932,
	1493, 65535, 65535, 65535, 65535, 65535, 93, 65535, 65535, 65535, 1248, 646, 65535, 65535,
	65535, 544, 211, 65535, 32, 65535, 65535, 65535, 65535, 225, 837, 65535, 65535, 65535,
	65535, 1072, 65535, 65535, 752, 65535, 720, 65535, 1012, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 1328, 399, 65535, 65535, 65535, 834, 871, 65535, 65535, 109, 1488, 65535, 862, 1286,
	521, 65535, 65535, 724, 290, 1393, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 524, 1325, 65535, 65535, 385, 65535, 65535, 65535, 65535, 65535, 1244, 304, 65535,
	1189, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 1509, 65535, 65535, 65535, 65535,
	454, 494, 774, 864, 1407, 65535, 1463, 65535, 321, 942, 65535, 159, 519, 1060, 1304, 65535,
	65535, 65535, 221, 919, 1222, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 275, 534, 579, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	595, 780, 1251, 1115, 1453, 65535, 568, 65535, 1077, 813, 65535, 1212, 65535, 65535, 65535,
	49, 1257, 1347, 65535, 65535, 113, 65535, 65535, 65535, 65535, 65535, 779, 62, 760, 1137,
	1161, 993, 1314, 1496, 65535, 916, 65535, 65535, 65535, 65535, 65535, 38, 1008, 65535,
	65535, 65535, 831, 1269, 65535, 65535, 65535, 282, 65535, 65535, 1160, 844, 65535, 65535,
	65535, 65535, 1086, 781, 65535, 610, 65535, 1112, 29, 65535, 789, 65535, 65535, 1022, 1341,
	65535, 65535, 65535, 65535, 65535, 65535, 222, 679, 1104, 1133, 804, 65535, 65535, 65535,
	938, 1475, 65535, 65535, 65535, 1041, 65535, 65535, 65535, 270, 65535, 347, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	424, 498, 241, 65535, 89, 232, 65535, 65535, 65535, 65535, 65535, 65535, 407, 786, 65535,
	691, 65535, 65535, 65535, 65535, 366, 750, 1016, 944, 65535, 65535, 65535, 1131, 51, 318,
	65535, 65535, 884, 333, 65535, 65535, 65535, 976, 65535, 743, 373, 187, 229, 1170, 65535,
	418, 596, 65535, 65535, 65535, 861, 65535, 65535, 546, 65535, 65535, 65535, 65535, 65535,
	1172, 65535, 65535, 65535, 622, 1211, 65535, 563, 362, 426, 207, 65535, 65535, 763, 65535,
	65535, 181, 979, 65535, 65535, 65535, 1294, 65535, 1483, 969, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 910, 694, 1188, 1455, 1507, 65535, 65535, 65535, 465,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 331, 65535, 65535, 228, 855, 65535,
	65535, 65535, 65535, 65535, 176, 359, 65535, 256, 102, 65535, 65535, 65535, 65535, 65535,
	65535, 88, 65535, 65535, 65535, 1048, 65535, 65535, 1093, 65535, 462, 1339, 65535, 1288,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 26, 598, 65535, 65535, 191, 22, 1292,
	65535, 65535, 65535, 65535, 995, 1273, 65535, 554, 968, 65535, 982, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 156, 65535, 65535, 194,
	65535, 65535, 642, 65535, 65535, 1502, 812, 65535, 65535, 65535, 65535, 65535, 65535, 957,
	79, 1482, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 1198, 65535, 65535, 65535, 65535, 927, 65535, 1434, 1467, 65535, 65535, 65535,
	65535, 65535, 65535, 748, 723, 849, 65535, 65535, 1030, 1140, 65535, 65535, 65535, 65535,
	65535, 281, 162, 981, 1074, 65535, 841, 65535, 65535, 601, 65535, 65535, 65535, 577, 1180,
	65535, 1426, 1489, 65535, 65535, 65535, 65535, 65535, 409, 65535, 1019, 65535, 65535, 65535,
	65535, 65535, 326, 65535, 65535, 65535, 65535, 1127, 1096, 835, 65535, 922, 379, 65535,
	65535, 65535, 65535, 65535, 65535, 63, 132, 265, 740, 955, 96, 917, 1087, 65535, 1155, 782,
	65535, 65535, 65535, 1213, 65535, 65535, 65535, 495, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 1338, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 330, 1360, 65535, 65535, 65535, 1020, 1090, 1026, 20, 65535, 620, 65535, 65535, 73,
	65535, 65535, 807, 822, 65535, 243, 419, 271, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 605, 890, 40, 499, 567, 1398, 65535, 65535, 1199, 65535, 65535, 1317, 158, 1095,
	65535, 65535, 65535, 65535, 50, 452, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 398, 65535, 65535, 65535, 1280, 65535, 65535, 507, 1108, 65535, 830, 1220, 65535,
	65535, 65535, 65535, 65535, 65535, 1134, 65535, 65535, 316, 121, 65535, 65535, 65535, 1121,
	65535, 764, 65535, 65535, 65535, 747, 65535, 891, 65535, 205, 587, 65535, 65535, 65535,
	1058, 65535, 65535, 65535, 297, 65535, 65535, 1, 153, 183, 65535, 1384, 1320, 65535, 65535,
	65535, 1363, 1085, 65535, 806, 1443, 65535, 65535, 65535, 537, 65535, 65535, 877, 65535,
	65535, 65535, 1383, 65535, 65535, 1230, 692, 987, 1428, 65535, 106, 65535, 1382, 28, 964,
	65535, 65535, 593, 1335, 65535, 65535, 65535, 65535, 65535, 218, 65535, 65535, 65535, 65535,
	65535, 65535, 242, 65535, 880, 382, 42, 58, 319, 502, 572, 952, 1094, 1370, 65535, 65535,
	65535, 118, 456, 652, 1114, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	263, 878, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 431, 65535,
	65535, 65535, 65535, 65535, 224, 65535, 87, 308, 517, 65535, 65535, 65535, 65535, 65535,
	65535, 983, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 540, 65535, 65535, 65535, 65535, 65535, 930, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 788, 65535, 65535, 65535, 119, 618, 65535, 65535, 1503, 65535, 65535,
	65535, 1354, 65535, 65535, 796, 219, 65535, 163, 65535, 65535, 65535, 65535, 65535, 370,
	950, 1255, 1191, 65535, 65535, 65535, 65535, 65535, 606, 1346, 1044, 65535, 65535, 10, 303,
	65535, 697, 867, 527, 870, 65535, 65535, 65535, 117, 1194, 65535, 255, 65535, 65535, 686,
	65535, 65535, 65535, 195, 588, 65535, 412, 65535, 65535, 130, 65535, 65535, 65535, 65535,
	470, 488, 48, 481, 65535, 512, 65535, 1192, 421, 65535, 65535, 65535, 85, 200, 65535, 65535,
	65535, 1479, 1250, 65535, 65535, 65535, 1159, 65535, 65535, 65535, 215, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 962, 65535, 65535, 860, 65535, 65535, 65535, 65535, 65535, 963,
	65535, 65535, 65535, 65535, 65535, 65535, 700, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 977, 65535, 65535, 65535, 65535, 65535, 367, 888, 65535, 65535, 65535, 92, 65535,
	65535, 65535, 65535, 65535, 65535, 639, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 882, 65535, 65535, 65535, 150, 374, 65535, 65535, 65535, 143, 258, 908, 1263,
	65535, 65535, 65535, 65535, 65535, 65535, 640, 758, 1268, 65535, 1422, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 101, 1291, 65535, 65535, 65535, 65535, 506, 943,
	65535, 65535, 65535, 65535, 1309, 710, 65535, 7, 65535, 1021, 1454, 65535, 65535, 65535,
	65535, 65535, 1459, 65535, 12, 179, 19, 335, 988, 65535, 926, 65535, 457, 1210, 65535,
	65535, 65535, 65535, 45, 320, 633, 65535, 732, 90, 65535, 711, 65535, 818, 684, 65535,
	65535, 65535, 611, 1394, 65535, 65535, 65535, 612, 65535, 65535, 65535, 892, 1378, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 1109, 65535, 65535, 415, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 1099, 1421, 65535, 65535, 65535, 65535, 1499, 65535,
	65535, 65535, 65535, 65535, 978, 65535, 65535, 65535, 334, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 663, 65535, 538, 65535, 253, 65535, 65535, 1023, 65535, 65535, 446,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 483, 65535, 65535, 65535, 65535, 1182,
	1381, 65535, 65535, 65535, 1080, 1123, 1402, 137, 65535, 65535, 68, 887, 1355, 91, 1038,
	65535, 65535, 65535, 1062, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 985, 65535,
	65535, 1491, 43, 139, 65535, 65535, 65535, 65535, 1135, 65535, 468, 469, 131, 65535, 866,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	84, 65535, 473, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 562, 1122, 973, 78, 1262, 1142, 65535, 65535, 65535, 65535, 65535, 77,
	1047, 172, 65535, 65535, 1431, 329, 356, 1319, 65535, 65535, 65535, 65535, 65535, 69, 1081,
	65535, 65535, 65535, 65535, 65535, 65535, 1392, 898, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	1435, 65535, 65535, 65535, 361, 550, 65535, 65535, 589, 65535, 65535, 65535, 65535, 1166,
	65535, 1318, 65535, 438, 65535, 65535, 65535, 65535, 185, 190, 299, 65535, 65535, 1202,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 75, 65535, 65535, 65535, 616, 65535, 65535,
	800, 6, 857, 1001, 1476, 65, 65535, 65535, 65535, 641, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 339, 65535, 65535, 192, 448, 497, 65535, 57, 1401, 508, 65535, 65535,
	65535, 65535, 65535, 65535, 1410, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	1164, 390, 65535, 288, 65535, 65535, 525, 65535, 644, 65535, 65535, 65535, 65535, 65535,
	1149, 872, 244, 65535, 65535, 1361, 65535, 1388, 277, 1158, 705, 65535, 821, 65535, 65535,
	65535, 65535, 737, 65535, 226, 65535, 65535, 65535, 65535, 65535, 953, 65535, 65535, 65535,
	65535, 65535, 74, 65535, 65535, 1326, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 1408,
	65535, 65535, 65535, 1071, 65535, 65535, 65535, 934, 31, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 71, 1088, 355, 65535, 65535, 65535, 171, 65535, 1043, 1399, 65535, 65535,
	65535, 65535, 173, 65535, 65535, 65535, 65535, 65535, 65535, 1010, 1118, 532, 65535, 65535,
	65535, 998, 65535, 785, 170, 947, 980, 1365, 65535, 480, 65535, 65535, 65535, 65535, 766,
	65535, 65535, 65535, 65535, 65535, 65535, 509, 65535, 65535, 1340, 65535, 65535, 65535, 881,
	972, 65535, 65535, 1076, 65535, 1205, 515, 1357, 1497, 428, 65535, 160, 65535, 65535, 65535,
	839, 65535, 65535, 1385, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 1351,
	65535, 65535, 65535, 634, 65535, 65535, 1331, 687, 757, 1091, 1270, 65535, 65535, 65535, 59,
	683, 65535, 65535, 98, 430, 65535, 1130, 65535, 65535, 134, 65535, 1359, 65535, 65535,
	65535, 742, 261, 1184, 1217, 393, 2, 120, 486, 1364, 384, 749, 315, 1261, 65535, 65535,
	65535, 65535, 65535, 65535, 278, 873, 65535, 1201, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 301, 65535, 65535,
	65535, 65535, 1079, 65535, 65535, 65535, 65535, 65535, 1450, 65535, 1373, 65535, 174, 65535,
	65535, 65535, 65535, 1003, 65535, 65535, 65535, 738, 586, 1495, 65535, 65535, 65535, 574,
	809, 65535, 65535, 65535, 65535, 65535, 65535, 798, 65535, 65535, 65535, 1223, 672, 65535,
	65535, 65535, 65535, 15, 164, 773, 65535, 65535, 65535, 65535, 65535, 296, 65535, 476,
	65535, 65535, 845, 1146, 466, 65535, 729, 65535, 65535, 65535, 701, 65535, 65535, 65535,
	65535, 65535, 383, 413, 1034, 1321, 396, 180, 865, 1063, 543, 1167, 65535, 65535, 65535,
	65535, 65535, 1089, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 792, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 1178, 65535,
	1436, 1367, 65535, 65535, 1462, 65535, 65535, 1098, 1006, 1197, 65535, 368, 65535, 658,
	65535, 1429, 65535, 65535, 65535, 65535, 1427, 65535, 342, 65535, 65535, 65535, 65535,
	65535, 65535, 11, 65535, 65535, 65535, 65535, 65535, 1153, 285, 65535, 230, 65535, 65535,
	1059, 441, 65535, 65535, 65535, 65535, 65535, 1225, 65535, 619, 65535, 65535, 324, 65535,
	65535, 65535, 65535, 346, 425, 65535, 65535, 65535, 65535, 231, 665, 996, 65535, 166, 571,
	65535, 65535, 65535, 65535, 65535, 107, 630, 733, 1067, 1343, 65535, 402, 65535, 933, 65535,
	65535, 65535, 65535, 65535, 4, 65535, 484, 212, 111, 65535, 65535, 65535, 65535, 65535,
	65535, 392, 65535, 65535, 65535, 716, 65535, 65535, 542, 65535, 65535, 65535, 65535, 1226,
	65535, 65535, 65535, 65535, 744, 924, 408, 327, 904, 65535, 65535, 65535, 1323, 433, 65535,
	65535, 65535, 197, 202, 65535, 65535, 65535, 65535, 753, 863, 65535, 65535, 128, 357, 65535,
	65535, 1337, 65535, 493, 1110, 65535, 65535, 966, 65535, 65535, 1369, 1438, 65535, 65535,
	65535, 65535, 65535, 65535, 427, 65535, 949, 65535, 65535, 65535, 1380, 65535, 1311, 1179,
	268, 615, 911, 1125, 847, 65535, 1024, 695, 673, 65535, 65535, 65535, 65535, 599, 65535,
	65535, 65535, 377, 1068, 65535, 65535, 65535, 518, 1190, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 874, 65535, 65535, 65535, 65535, 65535, 1193, 666, 65535,
	708, 1278, 65535, 115, 65535, 65535, 65535, 675, 65535, 65535, 378, 627, 65535, 248, 648,
	1119, 65535, 65535, 65535, 65535, 127, 65535, 541, 65535, 583, 65535, 103, 65535, 693,
	65535, 65535, 254, 65535, 65535, 65535, 443, 65535, 719, 65535, 65535, 1296, 759, 147, 479,
	859, 1306, 1484, 65535, 65535, 65535, 65535, 1324, 65535, 580, 65535, 65535, 65535, 736,
	1129, 65535, 1174, 65535, 65535, 65535, 1017, 178, 65535, 661, 65535, 584, 65535, 65535,
	65535, 715, 65535, 65535, 206, 836, 65535, 65535, 714, 65535, 65535, 65535, 1327, 65535,
	65535, 65535, 1485, 65535, 65535, 511, 671, 65535, 811, 833, 65535, 909, 65535, 65535, 805,
	971, 1297, 1430, 65535, 1460, 65535, 65535, 65535, 65535, 186, 1004, 65535, 65535, 65535,
	65535, 65535, 453, 1243, 65535, 30, 65535, 65535, 65535, 1157, 1420, 65535, 65535, 65535,
	65535, 129, 1490, 65535, 65535, 65535, 145, 65535, 65535, 177, 65535, 65535, 410, 65535,
	1052, 65535, 651, 65535, 65535, 65535, 65535, 65535, 60, 65535, 65535, 67, 1229, 65535, 895,
	1440, 65535, 65535, 437, 302, 94, 1156, 1299, 65535, 65535, 65535, 1290, 65535, 65535,
	65535, 65535, 65535, 65535, 1329, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	199, 65535, 65535, 65535, 520, 65535, 459, 372, 65535, 1070, 65535, 889, 1412, 65535, 65535,
	44, 1015, 65535, 65535, 1045, 65535, 65535, 65535, 65535, 487, 140, 182, 65535, 65535,
	65535, 65535, 257, 613, 1033, 341, 1478, 65535, 65535, 65535, 1073, 416, 793, 974, 269,
	65535, 65535, 65535, 1183, 65535, 575, 1260, 65535, 1185, 1504, 65535, 65535, 65535, 885,
	65535, 65535, 391, 65535, 65535, 991, 1181, 65535, 65535, 65535, 65535, 65535, 1256, 1051,
	201, 528, 344, 791, 65535, 432, 65535, 918, 997, 65535, 65535, 696, 965, 65535, 422, 894,
	65535, 65535, 65535, 1449, 376, 1477, 703, 65535, 65535, 65535, 65535, 65535, 471, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 1423, 286, 81, 223, 707, 65535,
	65535, 65535, 65535, 65535, 946, 1171, 65535, 65535, 14, 65535, 827, 1054, 65535, 65535,
	323, 594, 65535, 65535, 548, 65535, 65535, 65535, 65535, 65535, 1037, 689, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 280, 65535, 65535, 768, 1466, 300, 65535, 65535, 1018,
	65535, 65535, 76, 826, 65535, 65535, 65535, 388, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 328, 899, 65535, 65535, 65535, 65535, 65535, 1487, 65535, 1277,
	1279, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 450, 460, 504, 65535, 984, 65535,
	65535, 721, 65535, 65535, 65535, 1239, 155, 570, 573, 1283, 65535, 8, 1209, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 510, 65535, 65535, 135, 65535,
	65535, 65535, 65535, 1458, 958, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 539, 799,
	1187, 423, 65535, 65535, 65535, 1128, 925, 65535, 65535, 65535, 306, 65535, 65535, 500, 810,
	65535, 65535, 65535, 114, 33, 713, 165, 1348, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 787, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 461, 65535, 65535, 65535, 1126,
	436, 65535, 65535, 65535, 1510, 65535, 65535, 65535, 65535, 741, 1447, 23, 260, 1235, 775,
	65535, 945, 718, 490, 65535, 65535, 65535, 730, 1039, 65535, 65535, 1298, 65535, 814, 65535,
	65535, 65535, 65535, 65535, 36, 65535, 731, 65535, 65535, 931, 1416, 65535, 65535, 801,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 608, 65535, 65535, 65535,
	65535, 354, 591, 1204, 65535, 65535, 954, 1207, 1413, 65535, 65535, 144, 585, 1414, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 1124, 65535, 65535, 65535, 65535, 65535,
	65535, 353, 17, 336, 16, 551, 1120, 1474, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 643, 65535, 65535, 65535, 65535, 237, 628, 65535, 838, 65535, 802, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 157, 1242, 65535, 65535, 1254, 65535, 576, 442,
	1437, 65535, 600, 1425, 65535, 417, 65535, 364, 435, 65535, 65535, 1247, 1419, 65535, 65535,
	65535, 65535, 817, 824, 65535, 65535, 65535, 65535, 65535, 1143, 1138, 65535, 65535, 65535,
	65535, 990, 65535, 1011, 65535, 294, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 322, 629, 65535, 1287, 65535, 906, 1445, 65535, 1175, 1203, 901, 65535, 65535,
	756, 65535, 921, 1177, 65535, 65535, 123, 65535, 65535, 1390, 65535, 65535, 227, 65535,
	65535, 234, 960, 61, 65535, 65535, 1206, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 272, 65535, 65535, 65535, 25, 124, 65535, 65535, 65535, 1433,
	35, 65535, 348, 65535, 65535, 65535, 65535, 65535, 1233, 65535, 262, 603, 65535, 65535, 188,
	739, 65535, 65535, 65535, 65535, 854, 555, 112, 65535, 564, 664, 65535, 65535, 65535, 65535,
	65535, 65535, 1461, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 1101,
	685, 220, 1102, 1173, 1208, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 698, 65535,
	365, 545, 65535, 65535, 65535, 1451, 65535, 635, 65535, 65535, 252, 1441, 65535, 65535,
	1312, 1374, 65535, 65535, 1471, 1040, 65535, 65535, 65535, 1139, 65535, 65535, 65535, 18,
	161, 65535, 65535, 937, 636, 956, 592, 472, 0, 819, 1245, 420, 99, 531, 65535, 65535, 1005,
	65535, 65535, 702, 65535, 65535, 65535, 65535, 617, 65535, 65535, 842, 65535, 65535, 65535,
	65535, 65535, 65535, 1289, 65535, 1486, 47, 681, 5, 1116, 65535, 65535, 533, 65535, 65535,
	41, 65535, 65535, 65535, 65535, 65535, 65535, 535, 65535, 65535, 65535, 125, 65535, 1154,
	65535, 1464, 65535, 65535, 1284, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 24, 65535,
	284, 654, 72, 1029, 1069, 784, 1353, 797, 1372, 1415, 65535, 65535, 65535, 283, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 1492, 273, 65535, 65535, 445, 989, 142,
	65535, 65535, 65535, 1150, 65535, 65535, 65535, 913, 65535, 65535, 65535, 65535, 65535,
	65535, 647, 65535, 65535, 65535, 65535, 65535, 65535, 1386, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 126, 464, 876, 1136,
	65535, 65535, 1508, 65535, 1186, 65535, 65535, 65535, 65535, 65535, 65535, 105, 104, 65535,
	65535, 1316, 986, 688, 65535, 65535, 152, 65535, 208, 1448, 660, 65535, 65535, 65535, 843,
	772, 65535, 936, 65535, 65535, 65535, 449, 1046, 676, 65535, 65535, 65535, 65535, 1272,
	65535, 1305, 204, 1028, 1144, 65535, 65535, 65535, 65535, 769, 65535, 65535, 65535, 959,
	967, 65535, 795, 65535, 474, 352, 607, 65535, 198, 65535, 65535, 65535, 65535, 65535, 597,
	400, 657, 1027, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 1300, 1377, 65535, 902,
	65535, 65535, 65535, 65535, 65535, 65535, 133, 65535, 1215, 65535, 65535, 65535, 175, 699,
	65535, 1295, 247, 151, 240, 65535, 65535, 823, 65535, 169, 65535, 65535, 1315, 65535, 65535,
	65535, 65535, 65535, 65535, 110, 65535, 310, 1356, 1375, 65535, 65535, 1358, 65535, 65535,
	65535, 526, 65535, 65535, 83, 406, 623, 1148, 1271, 1281, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 65535, 358, 667, 1362, 65535, 65535, 65535, 65535, 1195, 65535,
	65535, 146, 65535, 65535, 65535, 65535, 389, 65535, 1480, 868, 850, 1368, 65535, 65535,
	65535, 65535, 65535, 65535, 236, 65535, 65535, 1308, 65535, 65535, 65535, 65535, 65535, 350,
	777, 141, 313, 65535, 65535, 1371, 858, 65535, 65535, 65535, 55, 65535, 65535, 65535, 65535,
	65535, 1105, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 727,
	65535, 65535, 1014, 65535, 9, 65535, 590, 706, 458, 65535, 65535, 65535, 65535, 65535, 820,
	65535, 65535, 65535, 65535, 65535, 65535, 530, 637, 656, 65535, 65535, 1013, 65535, 869,
	65535, 291, 65535, 846, 65535, 65535, 65535, 1506, 65535, 429, 65535, 1259, 463, 650, 1141,
	65535, 65535, 65535, 65535, 1246, 1498, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 21,
	65535, 65535, 65535, 65535, 65535, 65535, 65535, 776, 298, 65535, 65535, 65535, 65535,
	65535, 233, 65535, 1397, 65535, 65535, 65535, 1097, 65535, 65535, 624, 13, 621, 37, 829,
	65535, 65535, 655, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
	65535, 65535, 1302, 65535, 1470, 65535, 65535, 414, 1009, 65535, 771, 440, 920, 522, 940,
	65535, 992, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 547, 65535, 65535, 149,
	604, 1106, 65535, 65535, 975, 65535, 1446, 65535, 65535, 65535, 65535, 39, 948, 65535,
	65535, 489, 65535, 561, 65535, 65535, 65535, 65535, 65535, 65535, 1352, 65535, 65535, 65535,
	65535, 65535, 65535, 65535, 267, 403, 557, 1307, 65535, 349,
};

static const int16_t string_object[STRINGS] = {
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 16, 3,
	25, 29, 4, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, 32, -1, 22, -1, -1, -1, -1, 1, 27, 28, 33, -1, 17, 18, -1, -1, -1, -1, 8, 11,
	10, 12, 9, 0, -1, 13, 14, 15, 21, -1, -1, -1, 34, -1, -1, 35, 36, 19, 20, 37, -1, 38, -1,
	-1, 7, 24, -1, -1, -1, 39, 23, -1, -1, 40, 41, 42, 43, 5, 2, 26, 6, 30, -1, 44, 31, 45, -1,
	-1, -1, -1, 46, -1, -1, 47, -1, -1, -1, -1, -1, -1, 48, 49, -1, 50, -1, -1, -1, -1, -1, -1,
	-1, 51, 52, -1, 53, -1, -1, 54, -1, 55, 56, 57, 58, -1, -1, 59, 60, 61, 62, -1, -1, 63, 64,
	-1, 65, -1, -1, -1, -1, 66, 67, 68, 69, 70, 71, 72, -1, -1, -1, 73, 74, 75, -1, 76, -1, 77,
	78, -1, -1, 79, 80, 81, -1, 82, -1, -1, 83, -1, 84, -1, 85, -1, -1, 86, -1, 87, -1, 88, 89,
	-1, -1, 90, -1, 91, 92, 93, -1, 94, 95, -1, -1, -1, -1, 96, 97, 98, -1, 99, -1, 100, 101,
	102, 103, 104, -1, -1, 105, 106, -1, -1, -1, 107, -1, -1, -1, 108, 109, 110, 111, -1, 112,
	113, -1, -1, -1, -1, 114, -1, -1, -1, 115, 116, 117, 118, -1, -1, 119, -1, -1, -1, -1, 120,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 121, -1, -1, -1, -1, -1, -1, 122, 123, 124, 125,
	126, 127, -1, -1, -1, -1, -1, -1, -1, -1, -1, 128, -1, 129, -1, -1, -1, -1, -1, 130, -1, -1,
	-1, -1, -1, -1, 131, -1, -1, -1, 132, -1, -1, -1, 133, -1, -1, 134, -1, -1, -1, -1, 135, -1,
	-1, -1, -1, -1, 136, 137, 138, 139, -1, 140, 141, -1, -1, -1, 142, 143, -1, -1, -1, 144, -1,
	-1, -1, 145, 146, 147, 148, -1, 149, -1, -1, 150, -1, -1, 151, 152, 153, -1, -1, 154, 155,
	156, 157, -1, 158, 159, 160, -1, -1, -1, -1, -1, 161, 162, 163, -1, -1, -1, -1, -1, -1, -1,
	164, -1, -1, -1, 165, -1, -1, -1, -1, -1, -1, 166, 167, 168, 169, -1, 170, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, 171, -1, -1, -1, -1, -1, 172, -1, -1, -1, 173, 174, -1, 175, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 176, -1, 177, 178, -1, -1, 179, 180, -1,
	-1, -1, -1, -1, 181, -1, -1, 182, -1, 183, -1, -1, -1, -1, 184, -1, 185, 186, -1, -1, -1,
	-1, 187, -1, 188, 189, 190, -1, -1, 191, 192, 193, -1, 194, 195, -1, -1, -1, -1, 196, 197,
	-1, -1, -1, -1, -1, 198, -1, -1, -1, 199, -1, 200, 201, -1, 202, 203, 204, 205, -1, -1, 206,
	-1, -1, -1, -1, 207, 208, 209, -1, 210, 211, -1, 212, 213, -1, 214, -1, -1, -1, 215, -1, -1,
	-1, -1, -1, -1, -1, -1, 216, -1, -1, 217, 218, 219, 220, -1, -1, 221, 222, -1, -1, -1, -1,
	223, 224, -1, -1, -1, -1, -1, -1, -1, -1, -1, 225, 226, 227, 228, 229, 230, 231, 232, 233,
	234, 235, 236, 237, 238, 239, -1, 240, -1, -1, -1, -1, 241, -1, 242, 243, 244, -1, -1, -1,
	245, -1, 246, -1, -1, -1, -1, -1, -1, 247, 248, 249, -1, -1, 250, -1, -1, -1, 251, -1, -1,
	252, -1, 253, 254, 255, 256, 257, 258, -1, -1, 259, 260, -1, -1, 261, -1, -1, -1, -1, 262,
	-1, -1, 263, -1, -1, -1, -1, -1, -1, -1, -1, -1, 264, -1, -1, -1, -1, 265, -1, 266, 267,
	268, -1, -1, -1, -1, -1, -1, -1, 269, -1, -1, -1, 270, 271, -1, -1, 272, 273, -1, 274, 275,
	-1, -1, -1, -1, 276, 277, -1, -1, 278, -1, -1, 279, -1, -1, 280, -1, -1, -1, -1, 281, -1,
	-1, 282, -1, -1, -1, -1, -1, -1, -1, 283, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 284, 285,
	-1, -1, -1, -1, -1, 286, -1, 287, -1, 288, -1, -1, -1, -1, -1, 289, 290, -1, 291, 292, 293,
	294, 295, -1, -1, -1, 296, -1, -1, 297, -1, 298, -1, -1, -1, 299, -1, 300, -1, -1, -1, 301,
	-1, -1, -1, 302, -1, 303, -1, -1, 304, -1, -1, 305, -1, -1, 306, -1, -1, 307, -1, -1, 308,
	-1, 309, -1, 310, -1, -1, 311, 312, -1, 313, 314, -1, -1, -1, -1, 315, 316, -1, -1, -1, 317,
	-1, -1, -1, -1, -1, -1, -1, 318, -1, -1, -1, -1, -1, -1, -1, -1, -1, 319, -1, 320, 321, 322,
	-1, 323, 324, 325, -1, 326, 327, -1, -1, 328, -1, 329, 330, -1, 331, 332, 333, -1, 334, -1,
	335, -1, 336, -1, -1, 337, -1, -1, 338, 339, -1, -1, -1, 340, 341, 342, 343, -1, 344, -1,
	-1, -1, -1, 345, 346, 347, 348, -1, 349, 350, 351, -1, 352, 353, 354, -1, 355, 356, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, 357, 358, -1, -1, -1, 359, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, 360, 361, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 362, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
};

static const uint8_t string_nsid[(STRINGS + 7) / 8] = {
	0, 0, 0, 0, 0, 0, 0, 0, 240, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 192, 0, 0, 0, 40, 164, 32, 148, 64, 3, 33, 240, 25, 0, 80, 128, 144, 18, 0, 0,
	96, 9, 33, 82, 211, 13, 67, 68, 68, 3, 130, 1, 1, 8, 124, 0, 10, 0, 0, 0, 129, 24, 0, 0,
	112, 86, 65, 1, 1, 88, 1, 0, 128, 2, 0, 204, 0, 5, 4, 128, 13, 130, 104, 15, 0, 41, 0, 160,
	16, 6, 224, 215, 23, 48, 0, 144, 72, 63, 3, 2, 0, 192, 0, 16, 13, 145, 4, 4, 4, 64, 80, 193,
	22, 82, 16, 81, 2, 160, 0, 33, 0, 0, 80, 157, 180, 171, 100, 184, 192, 238, 4, 96, 4, 0, 0,
	128, 2, 252, 255, 255, 255, 1, 0, 0,
};

static const uint16_t symbol_string[SYMBOLS] = {
	578, 613, 68, 71, 612, 615, 557, 605, 600, 69, 614, 616, 70, 963, 619, 565, 636, 620, 967,
	966, 3, 1442, 1443, 1444, 1445, 1446, 1447, 1448, 1449, 43, 41, 601, 560, 561, 1450, 1451,
	1452, 1453, 17, 1454, 1455, 9, 8, 1315, 1307, 390, 545, 471, 1368, 1046, 1456, 234, 1396,
	854, 447, 1250, 1371, 1457, 1068, 1257, 1289, 1270, 840, 796, 851, 787, 776, 978, 976, 1096,
	1095, 1097, 1365, 1367, 1370, 1373, 1458, 1459, 1460, 1359, 1461, 1360, 1363, 1361, 1312,
	1354, 1303, 1346, 1374, 1381, 1380, 1379, 1394, 1395, 1399, 1393, 1462, 1109, 1124, 1127,
	1003, 1024,
};

static const uint8_t string_symbol[STRINGS] = {
	0, 0, 0, 21, 0, 0, 0, 0, 43, 42, 0, 0, 0, 0, 0, 0, 0, 39, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 31, 0, 30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 10, 13, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 52, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 46, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 55, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 48, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 47, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 33, 34, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 32, 0, 0, 0, 8, 0, 0, 0,
	0, 0, 0, 5, 2, 11, 6, 12, 0, 0, 15, 18, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 17, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 67, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 66, 0, 0, 0, 0,
	0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 63, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 65,
	0, 0, 54, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14, 0, 0, 20, 19, 0, 0, 0, 0, 0, 0,
	0, 0, 69, 0, 68, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	101, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 102, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 59, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 71, 70, 72, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 98, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 99, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 56, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 62, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 61, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 87,
	0, 0, 0, 45, 0, 0, 0, 0, 85, 0, 0, 44, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 88, 0, 0, 0, 0, 0, 0, 0, 86, 0, 0, 0, 0, 80, 82, 84, 0,
	83, 0, 73, 0, 74, 49, 0, 75, 57, 0, 76, 89, 0, 0, 0, 0, 92, 91, 90, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 96, 93, 94, 53, 0, 0, 95, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 22, 23, 24, 25, 26, 27,
	28, 29, 35, 36, 37, 38, 40, 41, 51, 58, 77, 78, 79, 81, 97, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0,
};

static const AtidObjectKey object_key[] = {
	{43, 1, 0, 0}, {0, -1, 1, 1}, {3, 1, 1, 0}, {2, -1, 1, 0}, {5, -1, 1, 0}, {4, -1, 1, 0},
	{0, -1, 0, 1}, {43, 1, 0, 0}, {0, -1, 1, 1}, {3, -1, 1, 0}, {2, -1, 1, 0}, {36, -1, 0, 0},
	{1, -1, 1, 0}, {0, -1, 1, 1}, {10, -1, 0, 0}, {6, -1, 0, 0}, {7, 7, 0, 0}, {11, 8, 0, 0},
	{33, -1, 0, 0}, {579, 37, 0, 0}, {2, -1, 1, 0}, {43, 1, 0, 0}, {0, -1, 1, 1}, {3, 1, 1, 0},
	{2, -1, 1, 0}, {0, -1, 1, 1}, {3, -1, 1, 0}, {2, -1, 1, 0}, {41, -1, 1, 0}, {0, -1, 1, 1},
	{3, -1, 1, 0}, {2, -1, 1, 0}, {8, 1, 1, 0}, {0, -1, 0, 1}, {9, 1, 1, 0}, {0, -1, 0, 1},
	{12, 9, 1, 0}, {13, -1, 1, 0}, {0, -1, 0, 1}, {15, -1, 1, 0}, {14, -1, 1, 0}, {4, -1, 1, 0},
	{0, -1, 0, 1}, {17, -1, 1, 0}, {0, -1, 0, 1}, {16, -1, 1, 0}, {0, -1, 0, 1}, {0, -1, 0, 1},
	{18, 14, 1, 0}, {20, -1, 1, 0}, {0, -1, 0, 1}, {19, 16, 1, 0}, {24, 15, 0, 0},
	{0, -1, 0, 1}, {25, -1, 1, 0}, {26, -1, 1, 0}, {21, -1, 1, 0}, {22, -1, 1, 0},
	{0, -1, 1, 1}, {23, -1, 1, 0}, {0, -1, 0, 1}, {27, 18, 1, 0}, {4, -1, 1, 0}, {0, -1, 0, 1},
	{28, 16, 0, 0}, {29, -1, 1, 0}, {30, -1, 1, 0}, {569, 1, 0, 0}, {0, -1, 0, 1},
	{31, 1, 1, 0}, {0, -1, 0, 1}, {32, -1, 1, 0}, {31, 19, 1, 0}, {20, -1, 0, 0}, {0, -1, 0, 1},
	{584, 16, 1, 0}, {585, 34, 0, 0}, {24, 15, 0, 0}, {586, -1, 0, 0}, {0, -1, 1, 1},
	{39, 16, 0, 0}, {40, 16, 0, 0}, {33, -1, 0, 0}, {558, -1, 0, 0}, {559, -1, 0, 0},
	{2, -1, 0, 0}, {560, 1, 0, 0}, {30, -1, 0, 0}, {38, -1, 0, 0}, {561, 1, 0, 0},
	{601, -1, 1, 0}, {0, -1, 1, 1}, {606, -1, 0, 0}, {2, -1, 1, 0}, {607, -1, 0, 0},
	{601, -1, 1, 0}, {0, -1, 1, 1}, {2, -1, 1, 0}, {602, -1, 0, 0}, {603, -1, 0, 0},
	{37, -1, 1, 0}, {0, -1, 1, 1}, {39, 16, 0, 0}, {33, -1, 0, 0}, {42, -1, 1, 0},
	{2, -1, 1, 0}, {30, -1, 0, 0}, {571, 8, 0, 0}, {0, -1, 1, 1}, {3, -1, 1, 0}, {2, -1, 1, 0},
	{0, -1, 0, 1}, {34, 28, 1, 0}, {35, -1, 1, 0}, {0, -1, 0, 1}, {17, -1, 1, 0}, {0, -1, 1, 1},
	{39, 16, 0, 0}, {33, -1, 0, 0}, {2, -1, 1, 0}, {570, -1, 0, 0}, {30, -1, 0, 0},
	{38, -1, 1, 0}, {571, 8, 0, 0}, {572, -1, 0, 0}, {41, -1, 1, 0}, {37, -1, 1, 0},
	{0, -1, 1, 1}, {617, 44, 0, 0}, {2, -1, 1, 0}, {30, -1, 0, 0}, {571, 8, 0, 0},
	{0, -1, 1, 1}, {241, -1, 1, 0}, {3, -1, 1, 0}, {2, -1, 1, 0}, {38, -1, 1, 0}, {0, -1, 1, 1},
	{556, -1, 1, 0}, {0, -1, 1, 1}, {10, -1, 0, 0}, {448, -1, 1, 0}, {2, -1, 1, 0},
	{566, -1, 0, 0}, {588, 16, 1, 0}, {589, -1, 1, 0}, {0, -1, 0, 1}, {0, -1, 0, 1},
	{193, -1, 1, 0}, {20, -1, 1, 0}, {0, -1, 0, 1}, {19, 16, 1, 0}, {24, 15, 1, 0},
	{73, -1, 1, 0}, {0, -1, 0, 1}, {12, 38, 1, 0}, {595, -1, 1, 0}, {597, -1, 1, 0},
	{0, -1, 0, 1}, {598, -1, 1, 0}, {0, -1, 0, 1}, {0, -1, 0, 1}, {0, -1, 0, 1}, {0, -1, 0, 1},
	{41, -1, 1, 0}, {0, -1, 0, 1}, {4, -1, 1, 0}, {0, -1, 0, 1}, {0, -1, 1, 1}, {33, -1, 0, 0},
	{621, 46, 1, 0}, {2, -1, 1, 0}, {622, -1, 0, 0}, {623, -1, 0, 0}, {624, -1, 0, 0},
	{0, -1, 0, 1}, {626, -1, 1, 0}, {627, 47, 0, 0}, {0, -1, 0, 1}, {629, -1, 1, 0},
	{630, 48, 1, 0}, {631, -1, 1, 0}, {632, -1, 0, 0}, {633, -1, 1, 0}, {634, -1, 0, 0},
	{589, -1, 1, 0}, {37, -1, 1, 0}, {0, -1, 0, 1}, {30, -1, 1, 0}, {0, -1, 1, 1},
	{637, -1, 1, 0}, {639, 99, 0, 0}, {0, -1, 1, 1}, {640, 1, 0, 0}, {2, -1, 1, 0},
	{641, -1, 0, 0}, {642, -1, 0, 0}, {643, -1, 0, 0}, {644, -1, 0, 0}, {645, -1, 0, 0},
	{0, -1, 0, 1}, {595, -1, 1, 0}, {11, 8, 0, 0}, {102, -1, 0, 0}, {0, -1, 0, 1},
	{648, 53, 1, 0}, {0, -1, 0, 1}, {650, -1, 1, 0}, {651, -1, 0, 0}, {72, -1, 0, 0},
	{653, -1, 0, 0}, {0, -1, 0, 1}, {26, -1, 0, 0}, {24, 55, 0, 0}, {0, -1, 0, 1},
	{25, -1, 1, 0}, {26, -1, 1, 0}, {653, -1, 1, 0}, {0, -1, 0, 1}, {26, -1, 0, 0},
	{24, 57, 0, 0}, {0, -1, 0, 1}, {25, -1, 1, 0}, {26, -1, 1, 0}, {0, -1, 0, 1},
	{11, 59, 0, 0}, {658, -1, 0, 0}, {659, -1, 1, 0}, {0, -1, 0, 1}, {12, 73, 1, 0},
	{13, -1, 1, 0}, {4, -1, 1, 0}, {0, -1, 0, 1}, {17, -1, 1, 0}, {0, -1, 0, 1},
	{664, -1, 0, 0}, {0, -1, 0, 1}, {665, -1, 1, 0}, {0, -1, 0, 1}, {0, -1, 0, 1},
	{668, -1, 0, 0}, {670, -1, 1, 0}, {671, -1, 1, 0}, {672, -1, 1, 0}, {673, -1, 1, 0},
	{0, -1, 0, 1}, {671, -1, 1, 0}, {672, -1, 1, 0}, {673, -1, 1, 0}, {0, -1, 0, 1},
	{0, -1, 0, 1}, {0, -1, 0, 1}, {102, -1, 0, 0}, {0, -1, 0, 1}, {0, -1, 0, 1}, {0, -1, 0, 1},
	{0, -1, 0, 1}, {681, -1, 1, 0}, {682, 59, 0, 0}, {683, -1, 1, 0}, {0, -1, 0, 1},
	{15, -1, 1, 0}, {14, -1, 1, 0}, {0, -1, 0, 1}, {11, 59, 0, 0}, {659, -1, 1, 0},
	{0, -1, 0, 1}, {687, -1, 0, 0}, {11, 59, 0, 0}, {659, -1, 1, 0}, {20, -1, 0, 0},
	{0, -1, 0, 1}, {19, 16, 1, 0}, {25, -1, 0, 0}, {689, -1, 0, 0}, {24, 77, 1, 0},
	{0, -1, 0, 1}, {25, -1, 1, 0}, {26, -1, 1, 0}, {692, -1, 0, 0}, {0, -1, 0, 1},
	{196, -1, 0, 0}, {18, 79, 1, 0}, {693, -1, 0, 0}, {20, -1, 0, 0}, {0, -1, 0, 1},
	{19, 16, 1, 0}, {24, 80, 1, 0}, {0, -1, 0, 1}, {25, -1, 1, 0}, {26, -1, 1, 0},
	{0, -1, 0, 1}, {697, 82, 1, 0}, {0, -1, 0, 1}, {699, -1, 0, 0}, {253, -1, 1, 0},
	{697, 82, 0, 0}, {700, 83, 0, 0}, {0, -1, 0, 1}, {697, 84, 1, 0}, {702, -1, 0, 0},
	{0, -1, 0, 1}, {699, -1, 0, 0}, {253, -1, 1, 0}, {697, 84, 0, 0}, {704, 81, 0, 0},
	{706, -1, 1, 0}, {0, -1, 0, 1}, {29, -1, 0, 0}, {30, -1, 0, 0}, {707, 16, 0, 0},
	{709, -1, 1, 0}, {0, -1, 0, 1}, {0, -1, 0, 1}, {243, -1, 0, 0}, {659, -1, 1, 0},
	{711, -1, 0, 0}, {0, -1, 0, 1}, {0, -1, 0, 1}, {714, 1, 1, 0}, {715, -1, 0, 0},
	{5, -1, 0, 0}, {4, -1, 1, 0}, {22, -1, 0, 0}, {0, -1, 0, 1}, {717, -1, 0, 0}, {5, -1, 0, 0},
	{4, -1, 1, 0}, {0, -1, 0, 1}, {717, -1, 0, 0}, {102, -1, 1, 0}, {0, -1, 0, 1},
	{0, -1, 0, 1}, {721, 1, 1, 0}, {72, -1, 1, 0}, {1, -1, 1, 0}, {0, -1, 0, 1},
	{724, -1, 0, 0}, {0, -1, 0, 1}, {725, -1, 0, 0}, {726, -1, 0, 0}, {727, -1, 0, 0},
	{0, -1, 0, 1}, {0, -1, 0, 1}, {189, -1, 1, 0}, {0, -1, 0, 1}, {731, -1, 1, 0},
	{72, -1, 1, 0}, {0, -1, 0, 1}, {733, -1, 0, 0}, {0, -1, 1, 1}, {39, -1, 0, 0},
	{40, -1, 0, 0}, {558, -1, 0, 0}, {559, -1, 0, 0}, {2, -1, 1, 0}, {641, -1, 0, 0},
	{30, -1, 0, 0}, {38, -1, 0, 0}, {4, -1, 1, 0}, {0, -1, 0, 1}, {0, -1, 0, 1}, {19, 16, 1, 0},
	{0, -1, 0, 1}, {19, 16, 1, 0}, {72, -1, 0, 0}, {739, -1, 0, 0}, {0, -1, 1, 1},
	{740, 1, 1, 0}, {3, -1, 1, 0}, {2, -1, 1, 0}, {641, -1, 0, 0}, {17, -1, 1, 0},
	{0, -1, 0, 1}, {743, 16, 0, 0}, {0, -1, 1, 1}, {29, -1, 1, 0}, {744, -1, 1, 0},
	{2, -1, 1, 0}, {641, -1, 0, 0}, {30, -1, 0, 0}, {745, 105, 0, 0}, {0, -1, 1, 1},
	{747, -1, 0, 0}, {748, -1, 1, 0}, {2, -1, 1, 0}, {749, 1, 1, 0}, {641, -1, 0, 0},
	{43, 1, 0, 0}, {0, -1, 1, 1}, {3, -1, 1, 0}, {2, -1, 1, 0}, {641, -1, 0, 0}, {4, -1, 1, 0},
	{0, -1, 0, 1}, {43, 1, 0, 0}, {0, -1, 1, 1}, {3, -1, 1, 0}, {2, -1, 1, 0}, {641, -1, 0, 0},
	{0, -1, 1, 1}, {754, -1, 1, 0}, {345, -1, 1, 0}, {2, -1, 1, 0}, {641, -1, 0, 0},
	{0, -1, 0, 1}, {215, 113, 1, 0}, {731, -1, 1, 0}, {17, -1, 1, 0}, {0, -1, 0, 1},
	{757, -1, 1, 0}, {758, -1, 1, 0}, {759, -1, 1, 0}, {760, -1, 1, 0}, {762, -1, 1, 0},
	{37, -1, 0, 0}, {0, -1, 1, 1}, {640, -1, 1, 0}, {2, -1, 1, 0}, {763, -1, 1, 0},
	{641, -1, 0, 0}, {30, -1, 0, 0}, {764, -1, 1, 0}, {67, 16, 1, 0}, {0, -1, 0, 1},
	{0, -1, 0, 1}, {216, -1, 1, 0}, {5, -1, 1, 0}, {739, -1, 0, 0}, {0, -1, 1, 1},
	{2, -1, 0, 0}, {0, -1, 1, 1}, {541, 119, 1, 0}, {769, -1, 0, 0}, {770, -1, 1, 0},
	{37, -1, 1, 0}, {0, -1, 0, 1}, {534, -1, 0, 0}, {434, -1, 1, 0}, {447, -1, 0, 0},
	{772, -1, 0, 0}, {773, -1, 0, 0}, {774, -1, 0, 0}, {775, -1, 0, 0}, {36, -1, 0, 0},
	{777, -1, 0, 0}, {0, -1, 1, 1}, {778, -1, 0, 0}, {29, -1, 1, 0}, {434, -1, 1, 0},
	{779, 16, 0, 0}, {780, -1, 0, 0}, {2, -1, 1, 0}, {781, -1, 0, 0}, {782, -1, 0, 0},
	{783, -1, 0, 0}, {784, -1, 0, 0}, {785, -1, 0, 0}, {786, -1, 0, 0}, {788, -1, 0, 0},
	{789, -1, 0, 0}, {790, -1, 0, 0}, {37, -1, 1, 0}, {36, -1, 0, 0}, {0, -1, 1, 1},
	{791, -1, 0, 0}, {792, 16, 0, 0}, {2, -1, 1, 0}, {793, -1, 0, 0}, {17, -1, 1, 0},
	{0, -1, 1, 1}, {39, 16, 0, 0}, {2, -1, 1, 0}, {30, -1, 0, 0}, {38, -1, 1, 0}, {43, 1, 0, 0},
	{0, -1, 1, 1}, {3, -1, 1, 0}, {2, -1, 1, 0}, {0, -1, 1, 1}, {3, 1, 1, 0}, {2, -1, 1, 0},
	{37, -1, 1, 0}, {0, -1, 1, 1}, {792, 16, 0, 0}, {2, -1, 1, 0}, {781, -1, 0, 0},
	{793, -1, 0, 0}, {30, -1, 0, 0}, {784, -1, 0, 0}, {785, -1, 0, 0}, {786, -1, 0, 0},
	{0, -1, 1, 1}, {367, -1, 1, 0}, {541, 127, 1, 0}, {3, 1, 1, 0}, {2, -1, 1, 0},
	{102, -1, 0, 0}, {4, -1, 0, 0}, {800, -1, 0, 0}, {801, -1, 0, 0}, {36, -1, 0, 0},
	{0, -1, 0, 1}, {534, -1, 0, 0}, {29, -1, 0, 0}, {434, -1, 0, 0}, {802, -1, 0, 0},
	{779, -1, 0, 0}, {803, -1, 0, 0}, {780, -1, 0, 0}, {804, -1, 0, 0}, {2, -1, 0, 0},
	{805, -1, 0, 0}, {806, -1, 0, 0}, {807, -1, 0, 0}, {773, -1, 0, 0}, {808, -1, 0, 0},
	{72, -1, 1, 0}, {810, 16, 0, 0}, {37, -1, 1, 0}, {0, -1, 1, 1}, {778, -1, 0, 0},
	{558, -1, 0, 0}, {2, -1, 1, 0}, {30, -1, 0, 0}, {812, 134, 0, 0}, {0, -1, 1, 1},
	{2, -1, 1, 0}, {813, 130, 0, 0}, {814, 131, 0, 0}, {815, -1, 0, 0}, {816, 133, 0, 0},
	{818, -1, 0, 0}, {0, -1, 0, 1}, {819, -1, 0, 0}, {820, -1, 0, 0}, {821, -1, 0, 0},
	{822, -1, 0, 0}, {823, -1, 0, 0}, {0, -1, 0, 1}, {825, 132, 0, 0}, {826, -1, 0, 0},
	{827, -1, 0, 0}, {829, -1, 1, 0}, {830, -1, 1, 0}, {0, -1, 0, 1}, {831, -1, 1, 0},
	{818, -1, 0, 0}, {0, -1, 0, 1}, {833, -1, 0, 0}, {834, -1, 0, 0}, {836, -1, 0, 0},
	{0, -1, 0, 1}, {837, -1, 0, 0}, {838, -1, 0, 0}, {839, -1, 0, 0}, {800, -1, 0, 0},
	{801, -1, 0, 0}, {36, -1, 0, 0}, {841, -1, 0, 0}, {777, -1, 0, 0}, {0, -1, 1, 1},
	{534, -1, 1, 0}, {778, -1, 0, 0}, {733, -1, 0, 0}, {29, -1, 1, 0}, {434, -1, 1, 0},
	{842, -1, 0, 0}, {843, 136, 0, 0}, {779, 16, 0, 0}, {844, -1, 0, 0}, {780, -1, 1, 0},
	{2, -1, 1, 0}, {781, -1, 0, 0}, {806, -1, 0, 0}, {782, -1, 0, 0}, {807, -1, 1, 0},
	{783, -1, 0, 0}, {784, -1, 0, 0}, {773, -1, 0, 0}, {785, -1, 0, 0}, {786, -1, 0, 0},
	{845, -1, 0, 0}, {801, -1, 0, 0}, {37, -1, 0, 0}, {0, -1, 0, 1}, {249, 139, 0, 0},
	{0, -1, 1, 1}, {11, 138, 0, 0}, {9, 1, 0, 0}, {215, -1, 0, 0}, {3, 1, 1, 0}, {2, -1, 1, 0},
	{17, -1, 1, 0}, {0, -1, 0, 1}, {15, -1, 1, 0}, {14, -1, 1, 0}, {20, -1, 0, 0},
	{72, -1, 1, 0}, {0, -1, 0, 1}, {25, -1, 0, 0}, {26, -1, 0, 0}, {850, -1, 0, 0},
	{800, -1, 0, 0}, {801, -1, 0, 0}, {36, -1, 0, 0}, {841, -1, 0, 0}, {777, -1, 0, 0},
	{0, -1, 1, 1}, {534, -1, 1, 0}, {778, -1, 0, 0}, {733, -1, 0, 0}, {29, -1, 1, 0},
	{434, -1, 1, 0}, {842, -1, 0, 0}, {843, 136, 0, 0}, {779, 16, 0, 0}, {844, -1, 0, 0},
	{780, -1, 1, 0}, {2, -1, 1, 0}, {781, -1, 0, 0}, {806, -1, 0, 0}, {782, -1, 0, 0},
	{807, -1, 1, 0}, {783, -1, 0, 0}, {784, -1, 0, 0}, {773, -1, 0, 0}, {785, -1, 0, 0},
	{786, -1, 0, 0}, {845, -1, 0, 0}, {853, 142, 0, 0}, {36, -1, 0, 0}, {0, -1, 1, 1},
	{854, 143, 1, 0}, {2, -1, 1, 0}, {855, -1, 0, 0}, {4, -1, 0, 0}, {0, -1, 0, 1},
	{595, -1, 0, 0}, {196, -1, 0, 0}, {243, -1, 0, 0}, {0, -1, 0, 1}, {858, 150, 0, 0},
	{29, -1, 0, 0}, {447, -1, 1, 0}, {859, -1, 0, 0}, {860, -1, 0, 0}, {73, -1, 0, 0},
	{0, -1, 0, 1}, {862, -1, 1, 0}, {863, -1, 0, 0}, {864, -1, 0, 0}, {597, -1, 1, 0},
	{73, -1, 0, 0}, {0, -1, 0, 1}, {598, -1, 1, 0}, {73, -1, 0, 0}, {0, -1, 0, 1},
	{595, -1, 1, 0}, {73, -1, 0, 0}, {0, -1, 0, 1}, {595, -1, 1, 0}, {73, -1, 0, 0},
	{0, -1, 0, 1}, {595, -1, 1, 0}, {869, -1, 0, 0}, {73, -1, 0, 0}, {0, -1, 0, 1},
	{871, -1, 1, 0}, {872, -1, 1, 0}, {0, -1, 0, 1}, {874, -1, 0, 0}, {875, -1, 0, 0},
	{36, -1, 0, 0}, {0, -1, 1, 1}, {29, -1, 0, 0}, {447, -1, 1, 0}, {2, -1, 1, 0},
	{860, -1, 0, 0}, {30, -1, 0, 0}, {743, -1, 0, 0}, {37, -1, 1, 0}, {0, -1, 1, 1},
	{2, -1, 1, 0}, {30, -1, 0, 0}, {0, -1, 1, 1}, {879, -1, 0, 0}, {2, -1, 1, 0},
	{880, -1, 1, 0}, {234, -1, 1, 0}, {36, -1, 0, 0}, {0, -1, 1, 1}, {668, -1, 0, 0},
	{854, 143, 1, 0}, {2, -1, 1, 0}, {0, -1, 1, 1}, {3, 156, 1, 0}, {2, -1, 1, 0},
	{5, -1, 1, 0}, {4, -1, 1, 0}, {0, -1, 0, 1}, {788, -1, 0, 0}, {0, -1, 1, 1},
	{885, -1, 0, 0}, {558, -1, 0, 0}, {2, -1, 1, 0}, {8, 159, 1, 0}, {1, -1, 1, 0},
	{0, -1, 1, 1}, {196, -1, 0, 0}, {9, 159, 1, 0}, {2, -1, 1, 0}, {5, -1, 1, 0}, {4, -1, 1, 0},
	{0, -1, 0, 1}, {0, -1, 1, 1}, {364, -1, 0, 0}, {889, -1, 0, 0}, {890, -1, 0, 0},
	{891, 1, 1, 0}, {892, -1, 1, 0}, {893, -1, 0, 0}, {20, -1, 0, 0}, {0, -1, 1, 1},
	{19, 16, 1, 0}, {451, -1, 0, 0}, {24, 162, 0, 0}, {0, -1, 0, 1}, {25, -1, 1, 0},
	{26, -1, 1, 0}, {0, -1, 1, 1}, {32, 1, 0, 0}, {889, -1, 0, 0}, {897, -1, 0, 0},
	{898, -1, 0, 0}, {899, -1, 0, 0}, {900, -1, 0, 0}, {901, -1, 0, 0}, {902, 1, 0, 0},
	{903, -1, 0, 0}, {20, -1, 0, 0}, {37, -1, 1, 0}, {0, -1, 1, 1}, {905, -1, 0, 0},
	{33, -1, 0, 0}, {906, -1, 1, 0}, {632, -1, 0, 0}, {2, -1, 1, 0}, {907, -1, 0, 0},
	{0, -1, 0, 1}, {909, -1, 0, 0}, {910, -1, 0, 0}, {911, -1, 0, 0}, {912, -1, 0, 0},
	{913, 16, 0, 0}, {914, -1, 0, 0}, {743, 16, 0, 0}, {37, -1, 1, 0}, {0, -1, 1, 1},
	{33, -1, 0, 0}, {632, -1, 0, 0}, {2, -1, 1, 0}, {30, -1, 0, 0}, {571, 167, 0, 0},
	{20, -1, 0, 0}, {17, -1, 1, 0}, {37, -1, 1, 0}, {0, -1, 0, 1}, {33, -1, 0, 0},
	{906, -1, 1, 0}, {632, -1, 0, 0}, {0, -1, 0, 1}, {909, -1, 0, 0}, {910, -1, 0, 0},
	{911, -1, 0, 0}, {912, -1, 0, 0}, {914, -1, 0, 0}, {919, -1, 1, 0}, {0, -1, 1, 1},
	{3, -1, 1, 0}, {2, -1, 1, 0}, {0, -1, 1, 1}, {921, 16, 0, 0}, {922, -1, 0, 0},
	{923, -1, 0, 0}, {29, -1, 1, 0}, {924, -1, 1, 0}, {925, -1, 0, 0}, {448, -1, 0, 0},
	{926, -1, 1, 0}, {2, -1, 1, 0}, {770, -1, 0, 0}, {927, -1, 0, 0}, {928, -1, 0, 0},
	{929, 172, 0, 0}, {930, 171, 0, 0}, {931, 173, 0, 0}, {0, -1, 0, 1}, {933, -1, 0, 0},
	{815, -1, 1, 0}, {934, -1, 0, 0}, {935, -1, 0, 0}, {936, -1, 0, 0}, {937, -1, 0, 0},
	{0, -1, 0, 1}, {924, -1, 0, 0}, {939, -1, 0, 0}, {940, -1, 0, 0}, {941, -1, 0, 0},
	{0, -1, 0, 1}, {770, -1, 0, 0}, {927, -1, 1, 0}, {535, 1, 1, 0}, {0, -1, 1, 1},
	{9, 1, 1, 0}, {944, -1, 1, 0}, {2, -1, 1, 0}, {102, -1, 1, 0}, {0, -1, 1, 1},
	{921, -1, 0, 0}, {29, -1, 1, 0}, {946, -1, 0, 0}, {947, -1, 0, 0}, {948, -1, 0, 0},
	{447, -1, 0, 0}, {926, -1, 1, 0}, {243, -1, 0, 0}, {949, -1, 0, 0}, {950, -1, 0, 0},
	{951, -1, 0, 0}, {952, 16, 0, 0}, {2, -1, 1, 0}, {547, -1, 0, 0}, {953, -1, 0, 0},
	{954, -1, 1, 0}, {815, -1, 1, 0}, {30, -1, 0, 0}, {929, 172, 0, 0}, {955, -1, 0, 0},
	{956, 16, 0, 0}, {957, -1, 0, 0}, {958, 176, 0, 0}, {959, -1, 0, 0}, {37, -1, 1, 0},
	{961, -1, 0, 0}, {0, -1, 0, 1}, {102, -1, 1, 0}, {0, -1, 1, 1}, {921, -1, 0, 0},
	{29, -1, 1, 0}, {946, -1, 0, 0}, {947, -1, 0, 0}, {447, -1, 0, 0}, {926, -1, 1, 0},
	{243, -1, 0, 0}, {949, -1, 0, 0}, {950, -1, 0, 0}, {951, -1, 0, 0}, {2, -1, 1, 0},
	{547, -1, 0, 0}, {953, -1, 0, 0}, {954, -1, 1, 0}, {815, -1, 1, 0}, {30, -1, 0, 0},
	{929, 172, 0, 0}, {955, -1, 0, 0}, {957, -1, 0, 0}, {958, 176, 0, 0}, {0, -1, 1, 1},
	{964, -1, 1, 0}, {965, -1, 0, 0}, {0, -1, 1, 1}, {186, -1, 1, 0}, {0, -1, 1, 1},
	{968, -1, 1, 0}, {969, 181, 0, 0}, {970, -1, 1, 0}, {971, -1, 0, 0}, {972, -1, 0, 0},
	{0, -1, 0, 1}, {974, -1, 1, 0}, {975, -1, 1, 0}, {0, -1, 1, 1}, {253, -1, 1, 0},
	{977, -1, 1, 0}, {979, 185, 0, 0}, {0, -1, 1, 1}, {980, 184, 0, 0}, {981, -1, 0, 0},
	{29, -1, 0, 0}, {253, -1, 1, 0}, {982, -1, 0, 0}, {2, -1, 0, 0}, {642, -1, 0, 0},
	{37, -1, 0, 0}, {0, -1, 0, 1}, {984, 16, 1, 0}, {72, -1, 1, 0}, {0, -1, 0, 1},
	{25, -1, 0, 0}, {26, -1, 0, 0}, {37, -1, 1, 0}, {36, -1, 0, 0}, {0, -1, 1, 1},
	{6, -1, 0, 0}, {885, 191, 1, 0}, {18, 188, 0, 0}, {448, -1, 0, 0}, {987, 190, 0, 0},
	{2, -1, 1, 0}, {988, -1, 0, 0}, {815, -1, 0, 0}, {989, -1, 0, 0}, {30, -1, 0, 0},
	{990, 187, 0, 0}, {992, -1, 0, 0}, {0, -1, 0, 1}, {234, -1, 1, 0}, {20, -1, 1, 0},
	{4, -1, 0, 0}, {0, -1, 0, 1}, {19, 16, 0, 0}, {42, -1, 0, 0}, {24, 189, 0, 0},
	{0, -1, 0, 1}, {25, -1, 1, 0}, {26, -1, 1, 0}, {0, -1, 0, 1}, {996, -1, 0, 0},
	{997, -1, 0, 0}, {4, -1, 1, 0}, {961, -1, 0, 0}, {0, -1, 0, 1}, {733, -1, 0, 0},
	{37, -1, 1, 0}, {36, -1, 0, 0}, {0, -1, 1, 1}, {885, 191, 1, 0}, {18, 188, 0, 0},
	{448, -1, 0, 0}, {987, 190, 0, 0}, {2, -1, 1, 0}, {988, -1, 0, 0}, {815, -1, 0, 0},
	{30, -1, 0, 0}, {990, 187, 0, 0}, {37, -1, 0, 0}, {36, -1, 0, 0}, {0, -1, 1, 1},
	{885, 191, 0, 0}, {18, 188, 0, 0}, {1001, -1, 1, 0}, {2, -1, 1, 0}, {815, -1, 0, 0},
	{30, -1, 0, 0}, {36, -1, 0, 0}, {0, -1, 1, 1}, {3, -1, 1, 0}, {2, -1, 1, 0},
	{818, -1, 0, 0}, {37, -1, 1, 0}, {1004, 196, 0, 0}, {0, -1, 1, 1}, {1005, -1, 0, 0},
	{448, -1, 0, 0}, {1006, -1, 0, 0}, {2, -1, 1, 0}, {1007, -1, 0, 0}, {30, -1, 0, 0},
	{4, -1, 1, 0}, {37, -1, 0, 0}, {0, -1, 0, 1}, {37, -1, 0, 0}, {0, -1, 0, 1},
	{1010, -1, 0, 0}, {1011, -1, 0, 0}, {1012, -1, 1, 0}, {1013, -1, 0, 0}, {1014, -1, 0, 0},
	{37, -1, 0, 0}, {0, -1, 0, 1}, {1016, -1, 0, 0}, {1017, -1, 0, 0}, {1018, -1, 1, 0},
	{37, -1, 0, 0}, {0, -1, 0, 1}, {1020, -1, 0, 0}, {1016, -1, 1, 0}, {1017, -1, 1, 0},
	{37, -1, 0, 0}, {0, -1, 0, 1}, {595, -1, 1, 0}, {0, -1, 1, 1}, {1023, -1, 1, 0},
	{3, 1, 1, 0}, {2, -1, 1, 0}, {0, -1, 1, 1}, {448, -1, 1, 0}, {3, 1, 1, 0}, {0, -1, 1, 1},
	{3, 1, 1, 0}, {2, -1, 1, 0}, {739, -1, 0, 0}, {0, -1, 1, 1}, {345, -1, 1, 0}, {0, -1, 1, 1},
	{1028, -1, 1, 0}, {815, -1, 1, 0}, {1029, 206, 1, 0}, {0, -1, 0, 1}, {1031, 207, 0, 0},
	{1032, 207, 0, 0}, {1033, 207, 0, 0}, {1034, 207, 0, 0}, {0, -1, 0, 1}, {606, -1, 1, 0},
	{815, -1, 1, 0}, {0, -1, 0, 1}, {0, -1, 0, 1}, {1038, -1, 1, 0}, {0, -1, 0, 1},
	{234, -1, 1, 0}, {0, -1, 1, 1}, {39, 16, 0, 0}, {40, 16, 0, 0}, {2, -1, 0, 0},
	{30, -1, 0, 0}, {38, -1, 0, 0}, {1041, 212, 0, 0}, {571, 8, 0, 0}, {801, -1, 1, 0},
	{73, -1, 1, 0}, {0, -1, 0, 1}, {0, -1, 1, 1}, {2, -1, 0, 0}, {815, -1, 0, 0},
	{1044, -1, 1, 0}, {1046, 215, 1, 0}, {1047, -1, 1, 0}, {0, -1, 1, 1}, {1048, -1, 0, 0},
	{800, -1, 0, 0}, {0, -1, 0, 1}, {843, 216, 1, 0}, {780, -1, 0, 0}, {1050, -1, 0, 0},
	{1051, -1, 0, 0}, {1052, -1, 1, 0}, {1053, -1, 0, 0}, {1054, -1, 0, 0}, {1055, -1, 0, 0},
	{775, -1, 0, 0}, {1056, -1, 0, 0}, {1057, -1, 0, 0}, {0, -1, 0, 1}, {1059, -1, 0, 0},
	{1060, -1, 1, 0}, {0, -1, 1, 1}, {39, 16, 0, 0}, {40, 16, 0, 0}, {2, -1, 0, 0},
	{30, -1, 0, 0}, {38, -1, 0, 0}, {1041, 218, 0, 0}, {571, 8, 0, 0}, {801, -1, 1, 0},
	{73, -1, 1, 0}, {0, -1, 0, 1}, {1046, 220, 1, 0}, {1047, -1, 1, 0}, {0, -1, 1, 1},
	{1048, -1, 0, 0}, {800, -1, 0, 0}, {0, -1, 0, 1}, {843, 221, 1, 0}, {780, -1, 0, 0},
	{1065, -1, 0, 0}, {1051, -1, 0, 0}, {1052, -1, 1, 0}, {1053, -1, 0, 0}, {1054, -1, 0, 0},
	{1055, -1, 0, 0}, {775, -1, 0, 0}, {1057, -1, 0, 0}, {1066, -1, 0, 0}, {0, -1, 0, 1},
	{1059, -1, 0, 0}, {1060, -1, 1, 0}, {800, -1, 0, 0}, {0, -1, 1, 1}, {843, 221, 0, 0},
	{780, -1, 0, 0}, {1065, -1, 0, 0}, {1051, -1, 0, 0}, {1052, -1, 1, 0}, {1053, -1, 0, 0},
	{1069, -1, 0, 0}, {1070, -1, 0, 0}, {1054, -1, 0, 0}, {1055, -1, 0, 0}, {775, -1, 0, 0},
	{1071, -1, 0, 0}, {1072, -1, 0, 0}, {1057, -1, 0, 0}, {1066, -1, 0, 0}, {800, -1, 0, 0},
	{0, -1, 1, 1}, {843, 216, 0, 0}, {780, -1, 0, 0}, {1050, -1, 0, 0}, {1051, -1, 0, 0},
	{1052, -1, 1, 0}, {1053, -1, 0, 0}, {1069, -1, 0, 0}, {1070, -1, 0, 0}, {1054, -1, 0, 0},
	{1055, -1, 0, 0}, {775, -1, 0, 0}, {1056, -1, 0, 0}, {1071, -1, 0, 0}, {1072, -1, 0, 0},
	{1057, -1, 0, 0}, {743, 16, 1, 0}, {37, -1, 1, 0}, {1075, -1, 1, 0}, {0, -1, 1, 1},
	{885, 225, 0, 0}, {1076, -1, 0, 0}, {1077, -1, 1, 0}, {2, -1, 1, 0}, {1078, 16, 0, 0},
	{815, -1, 1, 0}, {30, -1, 0, 0}, {1079, -1, 1, 0}, {1080, 16, 0, 0}, {1081, -1, 1, 0},
	{1082, -1, 0, 0}, {1083, -1, 0, 0}, {72, -1, 1, 0}, {73, -1, 1, 0}, {0, -1, 0, 1},
	{733, -1, 0, 0}, {0, -1, 1, 1}, {3, -1, 1, 0}, {2, -1, 1, 0}, {1, -1, 0, 0}, {0, -1, 1, 1},
	{947, -1, 1, 0}, {3, -1, 1, 0}, {2, -1, 1, 0}, {1, -1, 1, 0}, {0, -1, 1, 1}, {3, -1, 1, 0},
	{2, -1, 1, 0}, {0, -1, 1, 1}, {558, -1, 0, 0}, {30, -1, 0, 0}, {38, -1, 1, 0},
	{601, 1, 1, 0}, {0, -1, 1, 1}, {648, 231, 1, 0}, {9, 1, 0, 0}, {2, -1, 1, 0}, {0, -1, 0, 1},
	{253, -1, 1, 0}, {1, -1, 1, 0}, {0, -1, 0, 1}, {0, -1, 1, 1}, {29, -1, 1, 0}, {3, -1, 1, 0},
	{2, -1, 1, 0}, {72, -1, 1, 0}, {0, -1, 0, 1}, {0, -1, 1, 1}, {3, 1, 1, 0}, {2, -1, 1, 0},
	{601, 1, 1, 0}, {0, -1, 1, 1}, {9, 1, 0, 0}, {253, -1, 1, 0}, {2, -1, 1, 0}, {72, -1, 1, 0},
	{0, -1, 1, 1}, {29, -1, 1, 0}, {2, -1, 1, 0}, {0, -1, 1, 1}, {3, 1, 1, 0}, {2, -1, 1, 0},
	{853, -1, 1, 0}, {0, -1, 1, 1}, {1099, 1, 0, 0}, {3, 1, 1, 0}, {2, -1, 1, 0}, {0, -1, 1, 1},
	{944, -1, 0, 0}, {1101, 241, 1, 0}, {1102, 241, 1, 0}, {2, -1, 1, 0}, {1103, -1, 1, 0},
	{1104, -1, 1, 0}, {0, -1, 0, 1}, {1106, 242, 0, 0}, {891, 1, 0, 0}, {0, -1, 0, 1},
	{364, -1, 0, 0}, {890, -1, 0, 0}, {892, -1, 1, 0}, {0, -1, 1, 1}, {3, 1, 1, 0},
	{2, -1, 1, 0}, {72, -1, 0, 0}, {73, -1, 1, 0}, {0, -1, 1, 1}, {253, -1, 1, 0},
	{2, -1, 0, 0}, {1110, 1, 0, 0}, {1111, 248, 0, 0}, {1112, 1, 0, 0}, {72, -1, 1, 0},
	{0, -1, 0, 1}, {1114, 246, 0, 0}, {1116, -1, 0, 0}, {1117, -1, 0, 0}, {73, -1, 0, 0},
	{0, -1, 0, 1}, {29, -1, 0, 0}, {390, -1, 0, 0}, {1118, -1, 0, 0}, {1119, -1, 0, 0},
	{30, -1, 0, 0}, {1120, -1, 0, 0}, {1121, -1, 0, 0}, {1, -1, 1, 0}, {0, -1, 0, 1},
	{43, 1, 0, 0}, {0, -1, 0, 1}, {37, -1, 1, 0}, {0, -1, 1, 1}, {2, -1, 0, 0}, {815, -1, 0, 0},
	{1125, -1, 1, 0}, {30, -1, 0, 0}, {1126, -1, 0, 0}, {1128, 1, 1, 0}, {0, -1, 1, 1},
	{1129, -1, 1, 0}, {1130, -1, 1, 0}, {2, -1, 0, 0}, {234, 1, 1, 0}, {1111, 248, 0, 0},
	{1112, 1, 0, 0}, {0, -1, 1, 1}, {1132, -1, 1, 0}, {234, 1, 1, 0}, {1133, 1, 1, 0},
	{739, -1, 0, 0}, {0, -1, 1, 1}, {447, -1, 1, 0}, {854, -1, 1, 0}, {2, -1, 0, 0},
	{815, -1, 0, 0}, {1135, -1, 0, 0}, {0, -1, 1, 1}, {3, -1, 1, 0}, {2, -1, 1, 0},
	{67, -1, 1, 0}, {0, -1, 1, 1}, {0, -1, 1, 1}, {29, -1, 1, 0}, {253, -1, 1, 0},
	{37, -1, 1, 0}, {0, -1, 1, 1}, {2, -1, 0, 0}, {30, -1, 0, 0}, {21, 16, 1, 0}, {0, -1, 1, 1},
	{2, -1, 0, 0}, {0, -1, 1, 1}, {3, -1, 1, 0}, {1142, -1, 1, 0}, {2, -1, 0, 0},
	{1143, -1, 1, 0}, {0, -1, 1, 1}, {3, -1, 1, 0}, {1142, -1, 1, 0}, {2, -1, 0, 0},
	{0, -1, 1, 1}, {29, -1, 1, 0}, {1146, 261, 1, 0}, {30, -1, 0, 0}, {1147, -1, 1, 0},
	{1149, -1, 1, 0}, {0, -1, 0, 1}, {733, -1, 1, 0}, {1150, -1, 0, 0}, {1151, -1, 1, 0},
	{1152, -1, 1, 0}, {0, -1, 1, 1}, {1154, 263, 0, 0}, {3, 1, 1, 0}, {2, -1, 1, 0},
	{641, -1, 0, 0}, {1155, 264, 0, 0}, {0, -1, 0, 1}, {1157, -1, 0, 0}, {24, -1, 0, 0},
	{1158, -1, 0, 0}, {1159, -1, 0, 0}, {1160, -1, 0, 0}, {1161, -1, 0, 0}, {1162, -1, 0, 0},
	{1163, -1, 0, 0}, {1164, -1, 0, 0}, {1165, -1, 0, 0}, {72, -1, 0, 0}, {0, -1, 0, 1},
	{19, -1, 0, 0}, {584, -1, 0, 0}, {1167, -1, 0, 0}, {1168, -1, 0, 0}, {1169, -1, 1, 0},
	{38, -1, 0, 0}, {1170, -1, 0, 0}, {0, -1, 0, 1}, {1172, -1, 1, 0}, {0, -1, 0, 1},
	{584, 16, 1, 0}, {72, -1, 0, 0}, {0, -1, 1, 1}, {19, -1, 0, 0}, {584, -1, 0, 0},
	{2, -1, 1, 0}, {1168, -1, 0, 0}, {641, -1, 0, 0}, {38, -1, 0, 0}, {1170, -1, 0, 0},
	{0, -1, 1, 1}, {19, -1, 0, 0}, {29, -1, 1, 0}, {1176, 1, 0, 0}, {1177, -1, 0, 0},
	{2, -1, 1, 0}, {1007, 1, 0, 0}, {1178, -1, 0, 0}, {1179, -1, 0, 0}, {641, -1, 0, 0},
	{30, -1, 0, 0}, {1180, 269, 0, 0}, {1181, -1, 1, 0}, {1182, 8, 0, 0}, {0, -1, 0, 1},
	{1184, -1, 0, 0}, {1185, -1, 0, 0}, {1186, -1, 1, 0}, {961, -1, 1, 0}, {0, -1, 0, 1},
	{0, -1, 0, 1}, {968, -1, 1, 0}, {1189, 1, 1, 0}, {2, -1, 1, 0}, {1190, -1, 1, 0},
	{0, -1, 0, 1}, {1028, -1, 1, 0}, {961, -1, 0, 0}, {0, -1, 1, 1}, {1177, -1, 0, 0},
	{2, -1, 1, 0}, {1178, -1, 0, 0}, {641, -1, 0, 0}, {1193, -1, 0, 0}, {0, -1, 1, 1},
	{19, -1, 0, 0}, {2, -1, 1, 0}, {633, -1, 0, 0}, {641, -1, 0, 0}, {38, -1, 0, 0},
	{0, -1, 1, 1}, {2, -1, 1, 0}, {1196, -1, 0, 0}, {1197, -1, 1, 0}, {1198, -1, 1, 0},
	{641, -1, 0, 0}, {1199, -1, 1, 0}, {73, -1, 0, 0}, {0, -1, 1, 1}, {193, 277, 0, 0},
	{29, -1, 1, 0}, {39, -1, 0, 0}, {40, -1, 0, 0}, {640, 1, 0, 0}, {2, -1, 1, 0},
	{641, -1, 0, 0}, {30, -1, 0, 0}, {1181, -1, 0, 0}, {1182, 8, 0, 0}, {0, -1, 0, 1},
	{1202, -1, 0, 0}, {1203, 1, 1, 0}, {0, -1, 1, 1}, {944, -1, 0, 0}, {1205, -1, 0, 0},
	{3, 1, 1, 0}, {2, -1, 1, 0}, {641, -1, 0, 0}, {1206, -1, 1, 0}, {0, -1, 1, 1},
	{29, -1, 1, 0}, {253, -1, 0, 0}, {640, 1, 0, 0}, {1208, 1, 0, 0}, {2, -1, 1, 0},
	{641, -1, 0, 0}, {1209, -1, 0, 0}, {30, -1, 0, 0}, {1181, -1, 0, 0}, {1182, 8, 0, 0},
	{0, -1, 1, 1}, {1211, 281, 0, 0}, {253, -1, 0, 0}, {3, 1, 0, 0}, {1212, -1, 1, 0},
	{640, 1, 0, 0}, {2, -1, 1, 0}, {1213, 105, 1, 0}, {641, -1, 0, 0}, {1214, 1, 0, 0},
	{1216, -1, 1, 0}, {1217, -1, 1, 0}, {0, -1, 0, 1}, {595, -1, 1, 0}, {1219, -1, 1, 0},
	{0, -1, 1, 1}, {595, -1, 1, 0}, {1220, -1, 1, 0}, {944, -1, 0, 0}, {1177, -1, 0, 0},
	{1208, 1, 0, 0}, {2, -1, 1, 0}, {1007, 1, 0, 0}, {1221, 105, 0, 0}, {1222, -1, 0, 0},
	{1178, -1, 0, 0}, {1223, -1, 0, 0}, {641, -1, 0, 0}, {1224, -1, 0, 0}, {1225, 8, 0, 0},
	{1227, -1, 1, 0}, {1228, 1, 0, 0}, {1229, -1, 0, 0}, {0, -1, 1, 1}, {1230, -1, 0, 0},
	{1231, -1, 1, 0}, {1232, -1, 1, 0}, {2, -1, 1, 0}, {1233, -1, 0, 0}, {641, -1, 0, 0},
	{1234, -1, 0, 0}, {1235, -1, 0, 0}, {1236, -1, 0, 0}, {0, -1, 0, 1}, {595, -1, 1, 0},
	{189, -1, 1, 0}, {37, -1, 1, 0}, {0, -1, 1, 1}, {9, 1, 0, 0}, {1239, -1, 0, 0},
	{448, -1, 0, 0}, {1240, -1, 0, 0}, {1241, -1, 0, 0}, {2, -1, 1, 0}, {641, -1, 0, 0},
	{30, -1, 0, 0}, {1242, 1, 0, 0}, {1243, -1, 0, 0}, {0, -1, 1, 1}, {1245, -1, 1, 0},
	{17, -1, 1, 0}, {37, -1, 1, 0}, {0, -1, 1, 1}, {30, -1, 0, 0}, {1247, -1, 0, 0},
	{0, -1, 1, 1}, {1249, -1, 1, 0}, {1250, -1, 1, 0}, {815, -1, 1, 0}, {1251, -1, 0, 0},
	{1252, -1, 0, 0}, {1253, -1, 0, 0}, {0, -1, 1, 1}, {1250, -1, 1, 0}, {2, -1, 1, 0},
	{1252, -1, 1, 0}, {0, -1, 1, 1}, {1256, -1, 1, 0}, {1, -1, 1, 0}, {0, -1, 1, 1},
	{7, 293, 0, 0}, {11, 292, 0, 0}, {1250, -1, 1, 0}, {2, -1, 1, 0}, {0, -1, 0, 1},
	{12, 9, 1, 0}, {13, -1, 1, 0}, {8, 1, 1, 0}, {0, -1, 0, 1}, {9, 1, 1, 0}, {0, -1, 1, 1},
	{668, 295, 0, 0}, {1262, -1, 1, 0}, {1263, -1, 1, 0}, {0, -1, 0, 1}, {1264, -1, 1, 0},
	{0, -1, 1, 1}, {2, -1, 1, 0}, {1266, -1, 0, 0}, {1267, -1, 1, 0}, {0, -1, 1, 1},
	{2, -1, 1, 0}, {1269, -1, 1, 0}, {72, -1, 0, 0}, {601, 1, 0, 0}, {0, -1, 1, 1},
	{1271, -1, 0, 0}, {28, 16, 0, 0}, {29, -1, 1, 0}, {2, -1, 1, 0}, {1272, -1, 0, 0},
	{1273, 299, 0, 0}, {0, -1, 0, 1}, {1275, -1, 0, 0}, {0, -1, 1, 1}, {1277, 301, 0, 0},
	{1278, 302, 0, 0}, {1279, 303, 0, 0}, {0, -1, 0, 1}, {545, -1, 0, 0}, {451, -1, 0, 0},
	{1281, -1, 0, 0}, {1282, -1, 0, 0}, {1283, -1, 0, 0}, {0, -1, 0, 1}, {1285, -1, 0, 0},
	{0, -1, 0, 1}, {1287, -1, 0, 0}, {1288, -1, 0, 0}, {102, -1, 1, 0}, {22, -1, 0, 0},
	{0, -1, 1, 1}, {1290, 305, 0, 0}, {584, 306, 0, 0}, {545, -1, 1, 0}, {780, -1, 0, 0},
	{1291, -1, 1, 0}, {1267, -1, 1, 0}, {1277, 301, 0, 0}, {1278, 302, 0, 0}, {1279, 303, 0, 0},
	{1293, -1, 1, 0}, {0, -1, 0, 1}, {1294, -1, 1, 0}, {839, -1, 1, 0}, {0, -1, 0, 1},
	{1294, -1, 1, 0}, {25, -1, 1, 0}, {26, -1, 1, 0}, {1296, -1, 0, 0}, {1297, 307, 0, 0},
	{1299, -1, 1, 0}, {1300, -1, 1, 0}, {0, -1, 0, 1}, {0, -1, 1, 1}, {1302, -1, 0, 0},
	{0, -1, 1, 1}, {7, 313, 0, 0}, {11, 59, 0, 0}, {1304, -1, 0, 0}, {3, -1, 1, 0},
	{2, -1, 1, 0}, {659, -1, 1, 0}, {1196, -1, 0, 0}, {0, -1, 0, 1}, {1306, 311, 1, 0},
	{1307, -1, 1, 0}, {597, 312, 1, 0}, {0, -1, 0, 1}, {598, 312, 1, 0}, {0, -1, 0, 1},
	{650, -1, 1, 0}, {1310, -1, 1, 0}, {0, -1, 0, 1}, {9, -1, 1, 0}, {36, -1, 0, 0},
	{0, -1, 1, 1}, {1313, -1, 1, 0}, {981, 318, 0, 0}, {29, -1, 1, 0}, {390, -1, 1, 0},
	{714, 1, 0, 0}, {1314, 16, 0, 0}, {30, -1, 0, 0}, {1029, 317, 0, 0}, {1315, -1, 0, 0},
	{1316, -1, 0, 0}, {102, -1, 0, 0}, {0, -1, 0, 1}, {648, 316, 1, 0}, {1319, -1, 1, 0},
	{1320, -1, 1, 0}, {0, -1, 0, 1}, {650, -1, 1, 0}, {25, -1, 1, 0}, {26, -1, 0, 0},
	{1321, -1, 0, 0}, {0, -1, 0, 1}, {1323, -1, 0, 0}, {1324, -1, 0, 0}, {1325, -1, 0, 0},
	{1326, -1, 0, 0}, {1327, -1, 0, 0}, {1328, -1, 0, 0}, {1329, -1, 0, 0}, {0, -1, 0, 1},
	{1331, -1, 0, 0}, {1332, -1, 0, 0}, {1333, 320, 0, 0}, {1334, -1, 0, 0}, {1335, -1, 0, 0},
	{1336, -1, 0, 0}, {1337, -1, 0, 0}, {1160, -1, 0, 0}, {1161, 319, 0, 0}, {1338, -1, 0, 0},
	{1339, -1, 0, 0}, {0, -1, 0, 1}, {19, 16, 1, 0}, {25, -1, 0, 0}, {1341, -1, 0, 0},
	{0, -1, 0, 1}, {19, 16, 1, 0}, {25, -1, 0, 0}, {24, 321, 0, 0}, {0, -1, 0, 1},
	{25, -1, 1, 0}, {26, -1, 1, 0}, {0, -1, 1, 1}, {1315, -1, 1, 0}, {1345, -1, 1, 0},
	{0, -1, 1, 1}, {1315, -1, 1, 0}, {0, -1, 1, 1}, {3, -1, 1, 0}, {2, -1, 1, 0},
	{37, -1, 1, 0}, {0, -1, 1, 1}, {1177, -1, 0, 0}, {1349, 326, 1, 0}, {1, -1, 0, 0},
	{0, -1, 0, 1}, {1352, 1, 1, 0}, {0, -1, 1, 1}, {1353, -1, 1, 0}, {743, 16, 0, 0},
	{37, -1, 1, 0}, {0, -1, 1, 1}, {981, 318, 0, 0}, {1355, -1, 0, 0}, {30, -1, 0, 0},
	{1029, 317, 0, 0}, {1149, -1, 1, 0}, {0, -1, 1, 1}, {29, -1, 0, 0}, {253, 330, 1, 0},
	{1315, -1, 1, 0}, {1316, -1, 0, 0}, {0, -1, 0, 1}, {980, 16, 0, 0}, {1313, -1, 1, 0},
	{1358, 16, 0, 0}, {0, -1, 1, 1}, {3, -1, 1, 0}, {2, -1, 1, 0}, {0, -1, 1, 1}, {3, -1, 1, 0},
	{2, -1, 1, 0}, {0, -1, 1, 1}, {500, -1, 1, 0}, {1362, -1, 1, 0}, {1129, -1, 0, 0},
	{189, -1, 1, 0}, {37, -1, 1, 0}, {0, -1, 1, 1}, {1364, -1, 1, 0}, {1366, -1, 1, 0},
	{37, -1, 1, 0}, {0, -1, 1, 1}, {471, -1, 1, 0}, {1129, -1, 0, 0}, {30, -1, 0, 0},
	{853, -1, 0, 0}, {1368, -1, 1, 0}, {0, -1, 1, 1}, {471, -1, 1, 0}, {29, -1, 1, 0},
	{1369, -1, 1, 0}, {2, -1, 0, 0}, {853, -1, 0, 0}, {1368, -1, 0, 0}, {0, -1, 1, 1},
	{1371, -1, 1, 0}, {471, -1, 0, 0}, {1372, -1, 0, 0}, {2, -1, 0, 0}, {0, -1, 1, 1},
	{1371, -1, 1, 0}, {858, -1, 0, 0}, {1149, -1, 0, 0}, {1375, -1, 1, 0}, {36, -1, 0, 0},
	{0, -1, 1, 1}, {885, -1, 0, 0}, {29, -1, 1, 0}, {33, -1, 0, 0}, {253, -1, 0, 0},
	{815, -1, 0, 0}, {1314, 16, 0, 0}, {1376, 1, 0, 0}, {30, -1, 0, 0}, {1316, -1, 1, 0},
	{1377, -1, 0, 0}, {1180, 340, 0, 0}, {17, -1, 1, 0}, {961, -1, 0, 0}, {0, -1, 0, 1},
	{38, -1, 0, 0}, {0, -1, 1, 1}, {1307, -1, 1, 0}, {2, -1, 1, 0}, {0, -1, 1, 1},
	{2, -1, 0, 0}, {1315, -1, 1, 0}, {72, -1, 1, 0}, {743, 16, 0, 0}, {37, -1, 1, 0},
	{0, -1, 1, 1}, {33, -1, 0, 0}, {1382, 344, 0, 0}, {30, -1, 0, 0}, {1029, 346, 0, 0},
	{0, -1, 1, 1}, {1384, -1, 1, 0}, {1385, -1, 1, 0}, {1386, -1, 1, 0}, {1387, -1, 1, 0},
	{671, -1, 1, 0}, {672, -1, 1, 0}, {673, -1, 1, 0}, {0, -1, 0, 1}, {0, -1, 0, 1},
	{1327, -1, 0, 0}, {0, -1, 1, 1}, {39, 16, 0, 0}, {2, -1, 0, 0}, {30, -1, 0, 0},
	{38, -1, 0, 0}, {1, -1, 1, 0}, {0, -1, 1, 1}, {1392, -1, 0, 0}, {11, 8, 0, 0},
	{1099, -1, 0, 0}, {3, -1, 1, 0}, {2, -1, 1, 0}, {0, -1, 1, 1}, {3, -1, 1, 0}, {2, -1, 1, 0},
	{0, -1, 1, 1}, {29, -1, 1, 0}, {11, 8, 0, 0}, {33, -1, 0, 0}, {345, 197, 0, 0},
	{640, 200, 0, 0}, {2, -1, 1, 0}, {815, -1, 0, 0}, {30, -1, 0, 0}, {1046, -1, 1, 0},
	{0, -1, 1, 1}, {1396, -1, 1, 0}, {879, -1, 0, 0}, {2, -1, 1, 0}, {0, -1, 1, 1},
	{3, -1, 1, 0}, {2, -1, 1, 0}, {0, -1, 1, 1}, {3, -1, 1, 0}, {2, -1, 1, 0}, {20, -1, 0, 0},
	{0, -1, 1, 1}, {1400, 16, 1, 0}, {2, -1, 1, 0}, {24, 355, 1, 0}, {0, -1, 0, 1},
	{25, -1, 1, 0}, {26, -1, 1, 0}, {1403, -1, 0, 0}, {1404, -1, 0, 0}, {0, -1, 1, 1},
	{1405, -1, 0, 0}, {1406, -1, 0, 0}, {1400, -1, 1, 0}, {1407, -1, 0, 0}, {1408, -1, 0, 0},
	{2, -1, 1, 0}, {1409, -1, 0, 0}, {1410, -1, 0, 0}, {1411, -1, 0, 0}, {1412, -1, 0, 0},
	{0, -1, 1, 1}, {32, 16, 1, 0}, {33, -1, 0, 0}, {345, 197, 0, 0}, {640, 200, 0, 0},
	{2, -1, 1, 0}, {24, 355, 1, 0}, {37, -1, 1, 0}, {36, -1, 0, 0}, {0, -1, 1, 1},
	{1415, -1, 0, 0}, {1416, -1, 0, 0}, {2, -1, 1, 0}, {1417, -1, 0, 0}, {30, -1, 0, 0},
	{0, -1, 1, 1}, {29, -1, 0, 0}, {946, -1, 0, 0}, {1419, 16, 0, 0}, {448, -1, 0, 0},
	{1129, -1, 1, 0}, {1420, -1, 1, 0}, {1421, 16, 0, 0}, {1416, -1, 0, 0}, {879, -1, 0, 0},
	{1422, -1, 0, 0}, {770, -1, 0, 0}, {1423, -1, 0, 0}, {1424, -1, 0, 0}, {1425, -1, 0, 0},
	{30, -1, 0, 0}, {929, 361, 1, 0}, {783, -1, 0, 0}, {930, 360, 0, 0}, {1426, -1, 0, 0},
	{1427, 362, 0, 0}, {1428, -1, 1, 0}, {0, -1, 0, 1}, {448, -1, 1, 0}, {933, -1, 0, 0},
	{815, -1, 1, 0}, {934, -1, 0, 0}, {935, -1, 0, 0}, {936, -1, 0, 0}, {937, -1, 0, 0},
	{1431, -1, 0, 0}, {1432, -1, 0, 0}, {0, -1, 0, 1}, {452, -1, 0, 0}, {924, -1, 0, 0},
	{1433, -1, 0, 0}, {1434, -1, 0, 0}, {939, -1, 0, 0}, {940, -1, 0, 0}, {1435, -1, 0, 0},
	{1436, -1, 0, 0}, {1437, -1, 0, 0}, {1438, -1, 0, 0}, {1439, -1, 0, 0}, {1440, -1, 0, 0},
	{0, -1, 0, 1}, {1435, -1, 0, 0}, {1437, -1, 1, 0}, {1438, -1, 1, 0},
};

static const ObjectRow object_row[OBJECTS] = {
	{0, 4, 1, 578}, {4, 3, 1, 562}, {7, 4, 1, 613}, {11, 10, 7, 68}, {21, 4, 1, 71},
	{25, 3, 0, 612}, {28, 4, 0, 615}, {32, 3, 1, 599}, {35, 3, 1, 573}, {38, 3, 1, 577},
	{41, 2, 1, 575}, {43, 2, 1, 574}, {45, 2, 1, 576}, {47, 2, 1, 580}, {49, 4, 2, 581},
	{53, 3, 1, 582}, {56, 4, 0, 67}, {60, 2, 1, 567}, {62, 6, 3, 568}, {68, 2, 1, 592},
	{70, 3, 1, 593}, {73, 6, 5, 583}, {79, 11, 10, 557}, {90, 5, 2, 605}, {95, 5, 2, 600},
	{100, 8, 4, 69}, {108, 3, 0, 614}, {111, 2, 1, 563}, {113, 2, 1, 564}, {115, 10, 6, 70},
	{125, 7, 3, 616}, {132, 5, 0, 619}, {137, 2, 0, 555}, {139, 5, 2, 565}, {144, 3, 1, 587},
	{147, 2, 1, 590}, {149, 4, 1, 591}, {153, 4, 1, 594}, {157, 3, 1, 596}, {160, 1, 1, 604},
	{161, 1, 1, 608}, {162, 1, 1, 609}, {163, 1, 1, 610}, {164, 2, 1, 611}, {166, 2, 1, 618},
	{168, 7, 4, 620}, {175, 3, 2, 625}, {178, 7, 3, 628}, {185, 4, 1, 635}, {189, 2, 0, 636},
	{191, 9, 7, 638}, {200, 3, 2, 646}, {203, 3, 2, 647}, {206, 3, 2, 649}, {209, 5, 5, 652},
	{214, 3, 1, 654}, {217, 4, 3, 655}, {221, 3, 1, 656}, {224, 4, 3, 657}, {228, 3, 1, 660},
	{231, 2, 1, 661}, {233, 2, 1, 662}, {235, 3, 2, 663}, {238, 1, 1, 666}, {239, 2, 2, 667},
	{241, 5, 1, 669}, {246, 4, 1, 674}, {250, 1, 1, 675}, {251, 1, 1, 676}, {252, 2, 2, 677},
	{254, 1, 1, 678}, {255, 1, 1, 679}, {256, 4, 2, 680}, {260, 3, 1, 684}, {263, 3, 2, 685},
	{266, 4, 3, 686}, {270, 6, 4, 688}, {276, 3, 1, 690}, {279, 5, 4, 691}, {284, 4, 2, 694},
	{288, 3, 1, 695}, {291, 2, 1, 696}, {293, 5, 4, 698}, {298, 3, 2, 701}, {301, 5, 4, 703},
	{306, 5, 4, 705}, {311, 2, 1, 708}, {313, 4, 3, 710}, {317, 1, 1, 712}, {318, 3, 2, 713},
	{321, 5, 4, 716}, {326, 4, 3, 718}, {330, 2, 1, 719}, {332, 2, 1, 720}, {334, 3, 1, 722},
	{337, 5, 5, 723}, {342, 1, 1, 728}, {343, 1, 1, 729}, {344, 3, 1, 730}, {347, 3, 2, 732},
	{350, 9, 7, 734}, {359, 2, 1, 735}, {361, 2, 1, 736}, {363, 2, 1, 737}, {365, 7, 3, 738},
	{372, 2, 1, 741}, {374, 8, 4, 742}, {382, 6, 2, 746}, {388, 5, 2, 750}, {393, 2, 1, 751},
	{395, 5, 2, 752}, {400, 5, 1, 753}, {405, 3, 1, 755}, {408, 6, 1, 756}, {414, 9, 3, 761},
	{423, 2, 1, 765}, {425, 2, 1, 766}, {427, 4, 2, 767}, {431, 4, 1, 768}, {435, 9, 7, 771},
	{444, 15, 11, 776}, {459, 10, 7, 787}, {469, 6, 2, 794}, {475, 4, 1, 795}, {479, 3, 0, 796},
	{482, 10, 7, 797}, {492, 5, 0, 798}, {497, 20, 20, 799}, {517, 8, 4, 809}, {525, 7, 5, 811},
	{532, 7, 7, 817}, {539, 4, 4, 824}, {543, 4, 1, 828}, {547, 4, 4, 832}, {551, 5, 5, 835},
	{556, 27, 20, 840}, {583, 3, 3, 846}, {586, 7, 4, 847}, {593, 4, 1, 848}, {597, 6, 5, 849},
	{603, 27, 20, 851}, {630, 6, 3, 852}, {636, 5, 5, 856}, {641, 6, 5, 857}, {647, 5, 4, 861},
	{652, 4, 2, 865}, {656, 3, 2, 866}, {659, 3, 2, 867}, {662, 4, 3, 868}, {666, 4, 2, 870},
	{670, 3, 3, 873}, {673, 7, 4, 876}, {680, 5, 2, 877}, {685, 5, 1, 878}, {690, 5, 2, 881},
	{695, 3, 0, 882}, {698, 3, 1, 883}, {701, 5, 3, 884}, {706, 6, 1, 886}, {712, 3, 1, 887},
	{715, 7, 4, 888}, {722, 5, 3, 894}, {727, 3, 1, 895}, {730, 10, 9, 896}, {740, 9, 5, 904},
	{749, 7, 7, 908}, {756, 8, 5, 915}, {764, 7, 4, 916}, {771, 6, 6, 917}, {777, 4, 0, 918},
	{781, 16, 11, 920}, {797, 7, 6, 932}, {804, 5, 5, 938}, {809, 3, 2, 942}, {812, 5, 0, 943},
	{817, 26, 19, 945}, {843, 3, 2, 960}, {846, 22, 15, 962}, {868, 3, 1, 963},
	{871, 2, 0, 966}, {873, 6, 3, 967}, {879, 3, 1, 973}, {882, 3, 0, 976}, {885, 9, 7, 978},
	{894, 3, 2, 983}, {897, 4, 3, 985}, {901, 14, 10, 986}, {915, 3, 2, 991}, {918, 6, 5, 993},
	{924, 3, 1, 994}, {927, 3, 3, 995}, {930, 4, 3, 998}, {934, 12, 8, 999}, {946, 9, 6, 1000},
	{955, 4, 1, 1002}, {959, 10, 7, 1003}, {969, 3, 2, 1008}, {972, 7, 6, 1009},
	{979, 5, 4, 1015}, {984, 5, 3, 1019}, {989, 3, 2, 1021}, {992, 4, 0, 1022},
	{996, 3, 0, 1024}, {999, 3, 0, 1025}, {1002, 3, 1, 1026}, {1005, 4, 0, 1027},
	{1009, 5, 5, 1030}, {1014, 3, 1, 1035}, {1017, 1, 1, 1036}, {1018, 2, 1, 1037},
	{1020, 2, 1, 1039}, {1022, 8, 7, 1040}, {1030, 3, 1, 1042}, {1033, 4, 2, 1043},
	{1037, 4, 1, 1045}, {1041, 13, 11, 1049}, {1054, 3, 2, 1058}, {1057, 8, 7, 1061},
	{1065, 3, 1, 1062}, {1068, 4, 1, 1063}, {1072, 13, 11, 1064}, {1085, 3, 2, 1067},
	{1088, 17, 15, 1068}, {1105, 17, 15, 1073}, {1122, 16, 7, 1074}, {1138, 4, 2, 1084},
	{1142, 3, 0, 1085}, {1145, 5, 1, 1086}, {1150, 4, 0, 1087}, {1154, 4, 2, 1088},
	{1158, 5, 1, 1089}, {1163, 2, 1, 1090}, {1165, 2, 1, 1091}, {1167, 4, 0, 1092},
	{1171, 2, 1, 1093}, {1173, 3, 0, 1094}, {1176, 5, 1, 1095}, {1181, 4, 0, 1096},
	{1185, 3, 0, 1097}, {1188, 5, 1, 1098}, {1193, 7, 1, 1100}, {1200, 3, 3, 1105},
	{1203, 4, 3, 1107}, {1207, 3, 0, 1108}, {1210, 8, 5, 1109}, {1218, 3, 2, 1113},
	{1221, 11, 11, 1115}, {1232, 2, 1, 1122}, {1234, 2, 2, 1123}, {1236, 7, 4, 1124},
	{1243, 8, 3, 1127}, {1251, 4, 0, 1131}, {1255, 7, 4, 1134}, {1262, 3, 0, 1136},
	{1265, 2, 0, 1137}, {1267, 3, 0, 1138}, {1270, 4, 2, 1139}, {1274, 3, 1, 1140},
	{1277, 5, 1, 1141}, {1282, 4, 1, 1144}, {1286, 5, 1, 1145}, {1291, 6, 2, 1148},
	{1297, 6, 3, 1153}, {1303, 11, 11, 1156}, {1314, 9, 8, 1166}, {1323, 2, 1, 1171},
	{1325, 2, 1, 1173}, {1327, 9, 7, 1174}, {1336, 14, 10, 1175}, {1350, 4, 3, 1183},
	{1354, 2, 1, 1187}, {1356, 5, 1, 1188}, {1361, 2, 1, 1191}, {1363, 7, 5, 1192},
	{1370, 6, 4, 1194}, {1376, 7, 2, 1195}, {1383, 12, 9, 1200}, {1395, 3, 2, 1201},
	{1398, 7, 3, 1204}, {1405, 11, 8, 1207}, {1416, 10, 6, 1210}, {1426, 4, 1, 1215},
	{1430, 16, 11, 1218}, {1446, 13, 8, 1226}, {1459, 2, 1, 1237}, {1461, 13, 9, 1238},
	{1474, 2, 0, 1244}, {1476, 5, 2, 1246}, {1481, 7, 3, 1248}, {1488, 4, 0, 1254},
	{1492, 2, 0, 1255}, {1494, 6, 2, 1257}, {1500, 3, 1, 1258}, {1503, 3, 1, 1259},
	{1506, 2, 1, 1260}, {1508, 4, 1, 1261}, {1512, 4, 1, 1265}, {1516, 3, 0, 1268},
	{1519, 9, 6, 1270}, {1528, 2, 2, 1274}, {1530, 4, 3, 1276}, {1534, 6, 6, 1280},
	{1540, 2, 2, 1284}, {1542, 3, 3, 1286}, {1545, 12, 7, 1289}, {1557, 4, 1, 1292},
	{1561, 6, 3, 1295}, {1567, 3, 1, 1298}, {1570, 2, 1, 1301}, {1572, 8, 4, 1303},
	{1580, 3, 1, 1305}, {1583, 3, 1, 1308}, {1586, 3, 1, 1309}, {1589, 2, 1, 1311},
	{1591, 12, 8, 1312}, {1603, 3, 2, 1317}, {1606, 7, 3, 1318}, {1613, 8, 8, 1322},
	{1621, 12, 12, 1330}, {1633, 4, 3, 1340}, {1637, 4, 3, 1342}, {1641, 3, 1, 1343},
	{1644, 3, 0, 1344}, {1647, 2, 0, 1346}, {1649, 3, 0, 1347}, {1652, 4, 1, 1348},
	{1656, 2, 2, 1350}, {1658, 3, 0, 1351}, {1661, 7, 5, 1354}, {1668, 6, 2, 1356},
	{1674, 4, 3, 1357}, {1678, 3, 0, 1359}, {1681, 3, 0, 1360}, {1684, 4, 1, 1361},
	{1688, 4, 0, 1363}, {1692, 6, 2, 1365}, {1698, 7, 2, 1367}, {1705, 7, 5, 1370},
	{1712, 3, 1, 1373}, {1715, 15, 11, 1374}, {1730, 4, 3, 1378}, {1734, 3, 0, 1379},
	{1737, 3, 1, 1380}, {1740, 8, 5, 1381}, {1748, 5, 0, 1383}, {1753, 4, 1, 1388},
	{1757, 2, 2, 1389}, {1759, 5, 4, 1390}, {1764, 7, 3, 1391}, {1771, 3, 0, 1393},
	{1774, 9, 6, 1394}, {1783, 5, 1, 1395}, {1788, 3, 0, 1397}, {1791, 3, 0, 1398},
	{1794, 5, 1, 1399}, {1799, 3, 1, 1401}, {1802, 13, 10, 1402}, {1815, 7, 3, 1413},
	{1822, 8, 5, 1414}, {1830, 22, 17, 1418}, {1852, 8, 6, 1429}, {1860, 15, 15, 1430},
	{1875, 4, 2, 1441},
};
