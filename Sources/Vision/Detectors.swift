internal import CMulticamVision
internal import MulticamMedia

/// A gray image whose rows follow each other without padding. The image is a value; detectors only read it.
struct GrayImage: Sendable {
    let width: Int
    let height: Int
    private(set) var pixels: [UInt8]

    /// Copies the first plane of a frame, which contains the luma, and rotates it upright.
    ///
    /// - Returns: `nil` if the frame isn't 4:2:0 or its plane isn't inside its memory.
    init?(lumaOf frame: CapturedFrame, rotation: Rotation) {
        guard frame.pixel == .nv12 || frame.pixel == .i420, let plane = frame.planes.first,
            frame.size.width >= 16, frame.size.height >= 16, plane.offset >= 0,
            plane.stride >= frame.size.width,
            plane.offset + plane.stride * (frame.size.height - 1) + frame.size.width <= frame.memory.count
        else { return nil }
        let (stored, upright) = (frame.size, rotation.swapsSides ? frame.size.transposed : frame.size)
        (width, height) = (upright.width, upright.height)
        let source = vision_image(
            pixels: frame.memory.start.assumingMemoryBound(to: UInt8.self) + plane.offset,
            width: Int32(stored.width), height: Int32(stored.height), stride: Int32(plane.stride))
        pixels = Array(unsafeUninitializedCapacity: width * height) { buffer, count in
            if let target = buffer.baseAddress {
                vision_rotate(source, Int32(rotation.degrees), target)
                count = stored.pixelCount
            }
        }
        withExtendedLifetime(frame) {}
    }

    /// Creates an image from its pixels, row by row.
    init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height, "an image needs one byte for each pixel")
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }

    /// Calls a closure with the image as the C interface describes it.
    func withImage<Result>(_ body: (vision_image) -> Result) -> Result {
        pixels.withUnsafeBufferPointer { buffer in
            body(
                vision_image(
                    pixels: buffer.baseAddress, width: Int32(width), height: Int32(height),
                    stride: Int32(width)))
        }
    }

    /// Returns the mean difference to an image of the same size within a box, 0…255.
    func difference(to other: GrayImage, in box: Box) -> Double {
        withImage { image in other.withImage { vision_difference(image, $0, box.shape) } }
    }
}

/// A rectangle in pixels of an image. Detectors may report boxes that extend beyond the image.
struct Box: Sendable, Equatable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var centerX: Double { x + width / 2 }
    var centerY: Double { y + height / 2 }

    /// The area that two boxes share, divided by the area that they cover together.
    func overlap(with other: Box) -> Double {
        let columns = min(x + width, other.x + other.width) - max(x, other.x)
        let rows = min(y + height, other.y + other.height) - max(y, other.y)
        guard columns > 0, rows > 0 else { return 0 }
        return columns * rows / (width * height + other.width * other.height - columns * rows)
    }

    var shape: vision_box { vision_box(x: x, y: y, width: width, height: height, confidence: 0) }

    init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    init(_ box: vision_box) { self.init(x: box.x, y: box.y, width: box.width, height: box.height) }
}

/// The scale of the image that a detector searches. A larger scale finds smaller faces and takes longer.
enum DetectionScale: Double, Sendable, CaseIterable {
    case half = 0.5
    case whole = 1
    case double = 2
}

/// Finds faces in an image. Implement this protocol to add another detector.
protocol FaceDetector: AnyObject {
    /// Height in pixels of the smallest faces that are found reliably in an image of scale 1.
    var smallestFace: Double { get }

    /// Returns the faces with their scores, in any order. Faces with a score above 0 are reliable.
    func faces(in image: GrayImage, scale: DetectionScale, threshold: Double) -> [(box: Box, score: Double)]
}

/// Follows one object from image to image.
protocol ObjectTracker: AnyObject {
    /// Returns the bounds of the object in the next image and the quality of the match; `nil` if tracking failed.
    func update(with image: GrayImage) -> (box: Box, quality: Double)?
}

/// The HOG detector of dlib, which owns the C++ object. Finds upright frontal faces.
final class HOGFaceDetector: FaceDetector {
    private let faces: OpaquePointer
    let smallestFace = 80.0

    private static let mostFaces = 32

    /// Creates the detector; returns `nil` if memory allocation fails.
    init?() {
        guard let made = vision_make_faces() else { return nil }
        faces = made
    }

    deinit { vision_free_faces(faces) }

    func faces(in image: GrayImage, scale: DetectionScale, threshold: Double) -> [(box: Box, score: Double)] {
        var found = [vision_box](repeating: vision_box(), count: Self.mostFaces)
        let count = image.withImage { image in
            vision_find_faces(faces, image, scale.rawValue, threshold, &found, Int32(found.count))
        }
        return found.prefix(max(0, Int(count))).map { (Box($0), $0.confidence) }
    }
}

/// The correlation tracker of dlib, which owns the C++ object.
final class CorrelationTracker: ObjectTracker {
    private let tracker: OpaquePointer

    /// Begins to track the object in a box; returns `nil` if the box is too small or memory allocation fails.
    init?(_ image: GrayImage, _ box: Box) {
        guard let made = image.withImage({ vision_make_tracker($0, box.shape) }) else { return nil }
        tracker = made
    }

    deinit { vision_free_tracker(tracker) }

    func update(with image: GrayImage) -> (box: Box, quality: Double)? {
        var box = vision_box()
        guard image.withImage({ vision_track(tracker, $0, &box) }) == 0 else { return nil }
        return (Box(box), box.confidence)
    }
}

/// Reads codes with zbar; owns the scanner.
final class CodeReader {
    private let codes: OpaquePointer

    /// Creates the reader; returns `nil` if memory allocation fails.
    init?() {
        guard let made = vision_make_codes() else { return nil }
        codes = made
    }

    deinit { vision_free_codes(codes) }

    /// Returns the codes in an image, with payloads that are safe to show.
    func codes(in image: GrayImage) -> [DetectedCode] {
        final class Found { var codes: [DetectedCode] = [] }
        let found = Found()
        let size = (Double(image.width), Double(image.height))
        // The handler is a C function, so everything that it needs is in its context.
        final class Context {
            let found: Found
            let size: (Double, Double)
            init(_ found: Found, _ size: (Double, Double)) { (self.found, self.size) = (found, size) }
        }
        let context = Context(found, size)
        _ = image.withImage { image in
            vision_read_codes(
                codes, image,
                { place, kind, payload, length, box in
                    guard let place, let payload else { return }
                    let context = Unmanaged<Context>.fromOpaque(place).takeUnretainedValue()
                    let text = String(
                        decoding: UnsafeBufferPointer(start: payload, count: min(length, 8192)),
                        as: UTF8.self)
                    guard context.found.codes.count < FrameAnalysis.mostFound,
                        let part = FramePart(Box(box), in: context.size)
                    else { return }
                    let kinds: [Int32: DetectedCode.Kind] = [0: .qr, 1: .ean13, 2: .code128]
                    // zbar's quality counts the scan lines that agree.
                    context.found.codes.append(
                        DetectedCode(
                            kind: kinds[kind] ?? .qr, payload: text, box: part,
                            confidence: min(1, 0.5 + box.confidence / 20)))
                }, Unmanaged.passUnretained(context).toOpaque())
        }
        withExtendedLifetime(context) {}
        return found.codes
    }
}

extension FramePart {
    /// Creates the part of an image that a box covers, clipped to the image; `nil` if the box is outside.
    init?(_ box: Box, in size: (width: Double, height: Double)) {
        let (left, top) = (max(box.x, 0) / size.width, max(box.y, 0) / size.height)
        let right = min(box.x + box.width, size.width) / size.width
        let bottom = min(box.y + box.height, size.height) / size.height
        self.init(x: left, y: top, width: right - left, height: bottom - top)
    }
}
