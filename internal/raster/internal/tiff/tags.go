package tiff

import "fmt"

// Tag is the number of a directory entry.
type Tag uint16

// Tags that the reader looks at.
const (
	TagNewSubfileType  Tag = 254
	TagWidth           Tag = 256
	TagLength          Tag = 257
	TagBitsPerSample   Tag = 258
	TagCompression     Tag = 259
	TagPhotometric     Tag = 262
	TagFillOrder       Tag = 266
	TagDescription     Tag = 270
	TagStripOffsets    Tag = 273
	TagOrientation     Tag = 274
	TagSamplesPerPixel Tag = 277
	TagRowsPerStrip    Tag = 278
	TagStripByteCounts Tag = 279
	TagMaxSampleValue  Tag = 281
	TagXResolution     Tag = 282
	TagYResolution     Tag = 283
	TagPlanarConfig    Tag = 284
	TagT4Options       Tag = 292
	TagT6Options       Tag = 293
	TagResolutionUnit  Tag = 296
	TagSoftware        Tag = 305
	TagPredictor       Tag = 317
	TagColorMap        Tag = 320
	TagTileWidth       Tag = 322
	TagTileLength      Tag = 323
	TagTileOffsets     Tag = 324
	TagTileByteCounts  Tag = 325
	TagSubIFDs         Tag = 330
	TagInkSet          Tag = 332
	TagExtraSamples    Tag = 338
	TagSampleFormat    Tag = 339
	TagJPEGTables      Tag = 347
	TagYCbCrCoeff      Tag = 529
	TagYCbCrSubsample  Tag = 530
	TagRefBlackWhite   Tag = 532
	TagICCProfile      Tag = 34675
	TagGDALNoData      Tag = 42113
)

var tagNames = map[Tag]string{
	TagNewSubfileType: "NewSubfileType", TagWidth: "ImageWidth", TagLength: "ImageLength",
	TagBitsPerSample: "BitsPerSample", TagCompression: "Compression", TagPhotometric: "PhotometricInterpretation",
	TagFillOrder: "FillOrder", TagDescription: "ImageDescription", TagStripOffsets: "StripOffsets",
	TagOrientation: "Orientation", TagSamplesPerPixel: "SamplesPerPixel", TagRowsPerStrip: "RowsPerStrip",
	TagStripByteCounts: "StripByteCounts", TagMaxSampleValue: "MaxSampleValue", TagXResolution: "XResolution",
	TagYResolution: "YResolution", TagPlanarConfig: "PlanarConfiguration", TagT4Options: "T4Options",
	TagT6Options: "T6Options", TagResolutionUnit: "ResolutionUnit", TagSoftware: "Software",
	TagPredictor: "Predictor", TagColorMap: "ColorMap", TagTileWidth: "TileWidth", TagTileLength: "TileLength",
	TagTileOffsets: "TileOffsets", TagTileByteCounts: "TileByteCounts", TagSubIFDs: "SubIFDs", TagInkSet: "InkSet",
	TagExtraSamples: "ExtraSamples", TagSampleFormat: "SampleFormat", TagJPEGTables: "JPEGTables",
	TagYCbCrCoeff: "YCbCrCoefficients", TagYCbCrSubsample: "YCbCrSubSampling", TagRefBlackWhite: "ReferenceBlackWhite",
	TagICCProfile: "InterColorProfile", TagGDALNoData: "GDAL_NODATA",
}

// String is the name of the tag in the specification, or its number.
func (t Tag) String() string {
	if n, ok := tagNames[t]; ok {
		return n
	}
	return fmt.Sprintf("tag %d", uint16(t))
}

// Compression is the value of the Compression tag.
type Compression uint16

// Compressions that are read.
const (
	CompNone      Compression = 1
	CompCCITTRLE  Compression = 2
	CompFax3      Compression = 3
	CompFax4      Compression = 4
	CompLZW       Compression = 5
	CompOldJPEG   Compression = 6 // named, not read
	CompJPEG      Compression = 7
	CompDeflate   Compression = 8
	CompCCITTRLEW Compression = 32771
	CompPackBits  Compression = 32773
	CompDeflateOl Compression = 32946
	CompZstd      Compression = 50000
	CompWebP      Compression = 50001
)

var compNames = map[Compression]string{
	CompNone: "none", CompCCITTRLE: "CCITT RLE", CompFax3: "CCITT Group 3", CompFax4: "CCITT Group 4",
	CompLZW: "LZW", CompOldJPEG: "old-style JPEG", CompJPEG: "JPEG", CompDeflate: "Deflate",
	CompCCITTRLEW: "CCITT RLE, word aligned", CompPackBits: "PackBits", CompDeflateOl: "Deflate",
	CompZstd: "Zstandard", CompWebP: "WebP",
	9: "JBIG (T.85)", 10: "JBIG (T.43)", 32766: "NeXT", 32809: "ThunderScan", 32895: "IT8 CT padded",
	32896: "IT8 linework", 32897: "IT8 monochrome", 32898: "IT8 binary linework", 32908: "Pixar film",
	32909: "Pixar log", 32947: "Kodak DCS", 33003: "JPEG 2000 (Aperio)", 33004: "JPEG 2000 (Aperio)",
	33005: "JPEG 2000 (Aperio)", 33007: "JPEG (Aperio)", 34661: "JBIG", 34676: "SGI LogLuv",
	34677: "SGI LogLuv 24", 34712: "JPEG 2000", 34887: "LERC", 34892: "lossy JPEG (DNG)", 34925: "LZMA",
	50002: "JPEG XL", 52546: "JPEG XL (DNG)",
}

// String names the scheme.
func (c Compression) String() string {
	if n, ok := compNames[c]; ok {
		return n
	}
	return "unknown"
}

// Photometric is the value of the PhotometricInterpretation tag.
type Photometric uint16

// Colour models that are read.
const (
	WhiteIsZero Photometric = 0
	BlackIsZero Photometric = 1
	RGB         Photometric = 2
	Palette     Photometric = 3
	Mask        Photometric = 4
	CMYK        Photometric = 5
	YCbCr       Photometric = 6
	CIELab      Photometric = 8
	ICCLab      Photometric = 9
)

var photoNames = map[Photometric]string{
	WhiteIsZero: "white is zero", BlackIsZero: "black is zero", RGB: "RGB", Palette: "palette",
	Mask: "transparency mask", CMYK: "CMYK", YCbCr: "YCbCr", CIELab: "CIE L*a*b*", ICCLab: "ICC L*a*b*",
	10: "ITU L*a*b*", 32803: "colour filter array", 32844: "LogL", 32845: "LogLuv", 34892: "linear raw",
	51177: "depth map",
}

// String names the colour model.
func (p Photometric) String() string {
	if n, ok := photoNames[p]; ok {
		return n
	}
	return "unknown"
}

// Format is the value of the SampleFormat tag.
type Format uint16

// Sample formats. Void is read as Uint, as libtiff does.
const (
	Uint  Format = 1
	Int   Format = 2
	Float Format = 3
	Void  Format = 4
)

var formatNames = map[Format]string{Uint: "unsigned integer", Int: "signed integer", Float: "floating point",
	Void: "undefined", 5: "complex integer", 6: "complex floating point"}

// String names the format.
func (f Format) String() string {
	if n, ok := formatNames[f]; ok {
		return n
	}
	return "unknown"
}

// AlphaKind is what the ExtraSamples tag says of the first sample beyond the colours.
type AlphaKind uint8

// AlphaNone: no alpha, extra samples are ignored; AlphaAssociated: colours are already multiplied.
const (
	AlphaNone AlphaKind = iota
	AlphaAssociated
	AlphaUnassociated
)
