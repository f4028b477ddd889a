package import MulticamMedia
package import MulticamPlan
package import MulticamProfiles

extension Manifest {
    /// The content and the mix of the program, starting at a point in time. Together with the tracks, the
    /// arrangements are sufficient to render the program again.
    package struct Arrangement: Sendable, Equatable, Codable {
        /// Time of the first frame with this arrangement, in nanoseconds since T0. The arrangement applies until the
        /// next one.
        package var at_ns: Int64
        /// Layout of the cameras.
        package var layout: ProgramLayout
        /// The visible cameras, from back to front. Areas that no layer covers are black.
        package var layers: [Layer]
        /// Gain of each microphone in the mix, in decibels, by role; `nil` (`null` in JSON) if the microphone is muted.
        package var gains: [String: Double?]
        /// Filters of microphones in the mix, by role, and of the mix itself (`program`). Omitted if no filters are used.
        package var processing: [String: SoundProcessing]? = nil

        package init(
            at_ns: Int64, layout: ProgramLayout, layers: [Layer], gains: [String: Double?],
            processing: [String: SoundProcessing]? = nil
        ) {
            self.at_ns = at_ns
            self.layout = layout
            self.layers = layers
            self.gains = gains
            self.processing = processing
        }
    }

    /// The motion of the visible part of a camera from a point in time, which replaces the motion of the camera's layer in
    /// the arrangement of that time, until the next arrangement or motion of the camera.
    package struct Framing: Sendable, Equatable, Codable {
        /// Time of the first frame with this motion, in nanoseconds since T0.
        package var at_ns: Int64
        /// Role of the camera.
        package var role: String
        /// The motion. Its time `from_ns` is relative to T0.
        package var motion: FramingMotion

        package init(at_ns: Int64, role: String, motion: FramingMotion) {
            (self.at_ns, self.role, self.motion) = (at_ns, role, motion)
        }
    }

    /// The arrangements at all times, including those that automatic framing caused.
    package var framedArrangements: [Arrangement] { Arrangement.framed(arrangements ?? [], framings ?? []) }

    /// The position of one camera in the program. The stored frame is cropped, rotated, mirrored, and scaled to this
    /// position.
    package struct Layer: Sendable, Equatable, Codable {
        /// Role of the camera.
        package var role: String
        /// Distance in pixels from the left edge of the program to the left edge of the layer.
        package var x: Int
        /// Distance in pixels from the top edge of the program to the top edge of the layer.
        package var y: Int
        /// Width of the layer in pixels.
        package var width: Int
        /// Height of the layer in pixels.
        package var height: Int
        /// The visible part of the camera's stored frame, before rotation. The crop rectangle is specified in
        /// fractions of the frame, because the frame size may change.
        package var crop: FramePart
        /// The motion of the visible part if the camera is framed automatically, which replaces `crop`; otherwise
        /// `nil`. Its time `from_ns` is relative to T0.
        package var motion: FramingMotion?
        /// Clockwise rotation of the stored frame. In JSON, the rotation is given in degrees.
        package var rotation: Rotation
        /// Whether the rotated frame is mirrored horizontally.
        package var mirrored: Bool
        /// How the visible part is scaled if its aspect ratio differs from the layer's: `cover` crops the
        /// edges of the part, and `contain` adds black bars.
        package var fit: FrameFit
        /// Width in pixels of a white border inside the layer; 0 if the layer has no border.
        package var border: Int

        package init(
            role: String, x: Int, y: Int, width: Int, height: Int, crop: FramePart, rotation: Rotation,
            mirrored: Bool, fit: FrameFit, border: Int
        ) {
            self.role = role
            self.x = x
            self.y = y
            self.width = width
            self.height = height
            self.crop = crop
            self.rotation = rotation
            self.mirrored = mirrored
            self.fit = fit
            self.border = border
        }
    }
}

extension Manifest.Arrangement {
    /// Creates the arrangement of a plan; `nil` for a plan without a program.
    ///
    /// - Parameters:
    ///   - plan: The plan, whose motions are on the session clock.
    ///   - time: Time of the first frame with this arrangement, relative to T0.
    ///   - start: T0 on the session clock.
    package init?(of plan: SessionPlan, at time: MediaTime, since start: ClockTime) {
        guard let program = plan.program else { return nil }
        let gains = plan.microphones.map { microphone in
            (microphone.role, program.mix.contains(microphone.role) ? microphone.gain : nil)
        }
        self.init(
            at_ns: time.nanoseconds, layout: program.arrangement.layout,
            layers: program.layers.map { layer in
                Manifest.Layer(
                    layer.shifted(by: .zero - Nanoseconds(start.nanoseconds)), at: time,
                    in: plan.cameras.first { $0.role == layer.role }?.format.size)
            },
            gains: Dictionary(gains, uniquingKeysWith: { first, _ in first }),
            processing: Self.processing(of: program, plan.microphones))
    }

    /// Returns the given arrangements, and for each motion of automatic framing the arrangement with this motion, in the
    /// order of their times. A motion at the time of an arrangement changes this arrangement.
    package static func framed(_ arrangements: [Self], _ framings: [Manifest.Framing]) -> [Self] {
        var pending = framings.sorted { $0.at_ns < $1.at_ns }[...]
        var all: [Self] = []
        func add(before time: Int64) {
            while let framing = pending.first, framing.at_ns < time {
                pending.removeFirst()
                guard var arrangement = all.last,
                    let index = arrangement.layers.firstIndex(where: { $0.role == framing.role })
                else { continue }
                arrangement.layers[index].motion = framing.motion
                arrangement.at_ns = framing.at_ns
                if all.last?.at_ns == framing.at_ns { all.removeLast() }
                all.append(arrangement)
            }
        }
        for arrangement in arrangements.sorted(by: { $0.at_ns < $1.at_ns }) {
            add(before: arrangement.at_ns)
            all.append(arrangement)
        }
        add(before: .max)
        return all
    }

    private static func processing(
        of program: PlannedProgram, _ microphones: [PlannedMicrophone]
    ) -> [String: SoundProcessing]? {
        let all =
            microphones.map { ($0.role, $0.processing) } + [(SessionPlan.programOwner, program.mixProcessing)]
        let used = all.filter { !$1.isOff }
        return used.isEmpty ? nil : Dictionary(used, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the program looks and sounds the same in both arrangements.
    package func hasSameContent(as other: Self) -> Bool {
        (layout, layers, gains, processing) == (other.layout, other.layers, other.gains, other.processing)
    }

    /// Whether the values are plausible. Values may be wrong even in valid JSON, because the file may be damaged or
    /// edited.
    var isPlausible: Bool {
        let pixels = 0...1_000_000
        return Manifest.plausibleTimes.contains(at_ns)
            && layers.allSatisfy { layer in
                [layer.x, layer.y, layer.width, layer.height, layer.border].allSatisfy(pixels.contains)
                    && [layer.crop.x, layer.crop.y, layer.crop.width, layer.crop.height].allSatisfy(
                        (0...1).contains)
                    && layer.motion?.isPlausible ?? true
            } && gains.values.allSatisfy { abs($0 ?? 0) < 1e3 }
    }
}

extension Manifest.Layer {
    /// Creates a layer from a planned layer. `size` is the size of the camera's stored frames, the reference
    /// for the layer's crop rectangle; `nil` if the plan doesn't contain the camera.
    fileprivate init(_ layer: PlannedLayer, at time: MediaTime, in size: FrameSize?) {
        let motion = layer.motion
        let layer = size.map { layer.framed(at: time.nanoseconds, of: $0) } ?? layer
        let place = layer.rectangle
        self.init(
            role: layer.role, x: place.x, y: place.y, width: place.width, height: place.height,
            crop: layer.crop.flatMap { crop in size.map { FramePart(crop, of: $0) } } ?? .whole,
            rotation: layer.rotation, mirrored: layer.isMirrored, fit: layer.fit,
            border: layer.border)
        self.motion = motion
    }
}
