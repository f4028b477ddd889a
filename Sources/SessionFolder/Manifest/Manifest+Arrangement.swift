public import Media
package import Plan
internal import Profiles

extension Manifest {
    /// What the program showed and mixed from an instant on. With the tracks it is enough to compose the program again.
    public struct Arrangement: Sendable, Equatable, Codable {
        /// Time of the first frame that shows it, in nanoseconds since T0. It holds until the next arrangement's.
        public var at_ns: Int64
        /// Name of the layout: `pip`, `side-by-side`, `grid` or `single`.
        public var layout: String
        /// The cameras that are shown, from the back to the front. What no layer covers is black.
        public var layers: [Layer]
        /// Gain of each microphone in the mix, in decibels, by role; `nil` (`null` in JSON) where it is not heard.
        public var gains: [String: Double?]

        package init(at_ns: Int64, layout: String, layers: [Layer], gains: [String: Double?]) {
            self.at_ns = at_ns
            self.layout = layout
            self.layers = layers
            self.gains = gains
        }
    }

    /// The place of one camera in the program. The stored frame is cropped, turned, mirrored, and scaled into the place.
    public struct Layer: Sendable, Equatable, Codable {
        /// Role of the camera.
        public var role: String
        /// Distance in pixels from the program's left edge.
        public var x: Int
        /// Distance in pixels from the program's top edge.
        public var y: Int
        /// Width of the place in pixels.
        public var width: Int
        /// Height of the place in pixels.
        public var height: Int
        /// The part of the camera's stored frame that is shown, before it is turned; in shares, since a camera may change its size.
        public var crop: FramePart
        /// Degrees clockwise by which the stored frame is turned.
        public var rotation: Int
        /// Whether the turned frame is mirrored left to right.
        public var mirrored: Bool
        /// What is done where the shown part has another shape than the place: `fill` cuts its edges, `fit` leaves black beside it.
        public var filling: String
        /// Width in pixels of a white frame inside the place; 0 for none.
        public var border: Int

        package init(
            role: String, x: Int, y: Int, width: Int, height: Int, crop: FramePart, rotation: Int,
            mirrored: Bool, filling: String, border: Int
        ) {
            self.role = role
            self.x = x
            self.y = y
            self.width = width
            self.height = height
            self.crop = crop
            self.rotation = rotation
            self.mirrored = mirrored
            self.filling = filling
            self.border = border
        }
    }
}

extension Manifest.Arrangement {
    /// Takes what a plan shows and mixes; `nil` for a plan without a program.
    package init?(of plan: SessionPlan, at time: MediaTime) {
        guard let program = plan.program else { return nil }
        let gains = plan.microphones.map { microphone in
            (microphone.role, program.mix.contains(microphone.role) ? microphone.gain : nil)
        }
        self.init(
            at_ns: time.nanoseconds, layout: program.arrangement.layout.rawValue,
            layers: program.layers.map { layer in
                Manifest.Layer(layer, in: plan.cameras.first { $0.role == layer.role }?.format.size)
            },
            gains: Dictionary(gains, uniquingKeysWith: { first, _ in first }))
    }

    /// Whether both show and mix the same.
    package func looks(like other: Self) -> Bool {
        (layout, layers, gains) == (other.layout, other.layers, other.gains)
    }

    /// The arrangement as a field of an event.
    package var json: JSONValue {
        .object([
            "at_ns": .integer(at_ns), "layout": .string(layout), "layers": .array(layers.map(\.json)),
            "gains": .object(gains.mapValues { $0.map { .number($0) } ?? .null }),
        ])
    }

    /// Whether a recording may have had it: a file may be damaged or edited and still be JSON.
    var isPlausible: Bool {
        let pixels = 0...1_000_000
        return Manifest.plausibleTimes.contains(at_ns)
            && layers.allSatisfy { layer in
                [layer.x, layer.y, layer.width, layer.height, layer.border].allSatisfy(pixels.contains)
                    && [layer.crop.x, layer.crop.y, layer.crop.width, layer.crop.height].allSatisfy(
                        (0...1).contains)
            } && gains.values.allSatisfy { abs($0 ?? 0) < 1e3 }
    }
}

extension Manifest.Layer {
    /// Takes a planned layer. `size` is the size of the camera's stored frames, of which the layer's crop is a part; `nil` where
    /// the plan has no such camera.
    fileprivate init(_ layer: PlannedLayer, in size: FrameSize?) {
        let place = layer.rectangle
        self.init(
            role: layer.role, x: place.x, y: place.y, width: place.width, height: place.height,
            crop: layer.crop.flatMap { crop in size.map { FramePart(crop, of: $0) } } ?? .whole,
            rotation: layer.rotation.degrees, mirrored: layer.isMirrored, filling: layer.filling.rawValue,
            border: layer.border)
    }

    fileprivate var json: JSONValue {
        .object([
            "role": .string(role), "x": .integer(Int64(x)), "y": .integer(Int64(y)),
            "width": .integer(Int64(width)), "height": .integer(Int64(height)),
            "crop": .object([
                "x": .number(crop.x), "y": .number(crop.y), "width": .number(crop.width),
                "height": .number(crop.height),
            ]), "rotation": .integer(Int64(rotation)), "mirrored": .boolean(mirrored),
            "filling": .string(filling), "border": .integer(Int64(border)),
        ])
    }
}
