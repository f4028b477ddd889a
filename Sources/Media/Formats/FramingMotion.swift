/// The movement of the visible part of a camera, as automatic framing plans it: from one position to another, along
/// polynomials. `FramingMotion` is a pure value; the same motion always yields the same rectangles.
///
/// The center and the height of the part are fractions of the upright frame. Before the motion begins, the part is at
/// its first position, and after it has ended, at its last position.
package struct FramingMotion: Sendable, Hashable, Codable {
    /// A polynomial of degree five in the elapsed share of the motion, 0…1.
    package struct Curve: Sendable, Hashable, Codable {
        /// The coefficients, beginning with the constant term.
        package var coefficients: [Double]

        /// Creates the curve that begins with a position, a velocity, and an acceleration, and ends at rest. From rest,
        /// this is the curve with the least jerk.
        ///
        /// - Parameters:
        ///   - state: The position at the beginning, and its first and second derivative per second.
        ///   - end: The position at the end.
        ///   - seconds: Length of the motion, above zero.
        package init(from state: State, to end: Double, seconds: Double) {
            let (p, v, a) = (state.place, state.velocity * seconds, state.acceleration * seconds * seconds)
            let d = end - p
            coefficients = [
                p, v, a / 2, 10 * d - 6 * v - 1.5 * a, -15 * d + 8 * v + 1.5 * a, 6 * d - 3 * v - 0.5 * a,
            ]
        }

        /// Creates the curve of a constant position.
        package init(constant place: Double) { coefficients = [place] }

        /// Reads the coefficients from an array.
        package init(from decoder: any Decoder) throws {
            coefficients = try decoder.singleValueContainer().decode([Double].self)
        }

        /// Writes the coefficients as an array.
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(coefficients)
        }

        /// The curve with coefficients that are multiples of a millionth of the frame, which need less space in files.
        package var rounded: Curve {
            var curve = self
            curve.coefficients = coefficients.map { ($0 * 1e6).rounded() / 1e6 }
            return curve
        }

        /// Returns the position at a share of the motion.
        package func place(at share: Double) -> Double {
            coefficients.reversed().reduce(0) { $0 * share + $1 }
        }

        /// Returns the position and its derivatives per second.
        ///
        /// - Parameters:
        ///   - share: Elapsed share of the motion, 0…1.
        ///   - seconds: Length of the motion.
        /// - Returns: The position, velocity, and acceleration.
        package func state(at share: Double, seconds: Double) -> State {
            var (place, first, second) = (0.0, 0.0, 0.0)
            for coefficient in coefficients.reversed() {
                second = second * share + 2 * first
                first = first * share + place
                place = place * share + coefficient
            }
            return State(
                place: place, velocity: first / seconds, acceleration: second / (seconds * seconds))
        }
    }

    /// A position with its first and second derivative per second.
    package struct State: Sendable, Hashable {
        /// The position, as a fraction of the frame.
        package var place: Double
        /// Fractions per second.
        package var velocity: Double
        /// Fractions per second squared.
        package var acceleration: Double

        /// Creates a state; the default is at rest.
        package init(place: Double, velocity: Double = 0, acceleration: Double = 0) {
            (self.place, self.velocity, self.acceleration) = (place, velocity, acceleration)
        }
    }

    /// Beginning of the motion in nanoseconds: on the session clock in a plan, since T0 in a manifest.
    package var from_ns: Int64
    /// Length of the motion in nanoseconds, at least 1.
    package var duration_ns: Int64
    /// Horizontal position of the center, as a fraction of the upright frame's width.
    package var x: Curve
    /// Vertical position of the center, as a fraction of the upright frame's height.
    package var y: Curve
    /// Height of the part, as a fraction of the upright frame's height.
    package var height: Curve
    /// Smallest height of the part, as a fraction of the upright frame's height, so that the program doesn't enlarge the
    /// camera's pixels beyond the limit.
    package var min_height = 0.0
    /// Width of the part divided by its height, in pixels of the upright frame.
    package var ratio: Double
    /// The part of the upright frame that the motion never leaves.
    package var bounds: FramePart

    /// Creates a motion. Each parameter sets the property of the same name.
    package init(
        from: Int64, duration: Nanoseconds, x: Curve, y: Curve, height: Curve, ratio: Double,
        bounds: FramePart
    ) {
        from_ns = from
        duration_ns = max(duration.count, 1)
        (self.x, self.y, self.height, self.ratio, self.bounds) = (x, y, height, ratio, bounds)
    }

    /// Returns the same motion with another zero point of its time.
    package func shifted(by offset: Nanoseconds) -> FramingMotion {
        var motion = self
        motion.from_ns = from_ns.clampedSum(offset.count)
        return motion
    }

    /// Returns the elapsed share of the motion at a time, 0…1.
    package func share(at nanoseconds: Int64) -> Double {
        let elapsed = nanoseconds.clampedDifference(from_ns)
        return min(max(Double(elapsed) / Double(max(duration_ns, 1)), 0), 1)
    }

    /// Whether the part no longer moves at a time.
    package func hasEnded(at nanoseconds: Int64) -> Bool { share(at: nanoseconds) >= 1 }

    /// Returns the visible part at a time, in pixels of the stored frame, with even position and size. While only the
    /// center moves, the size stays the same.
    ///
    /// - Parameters:
    ///   - nanoseconds: The time, with the zero point of `from_ns`.
    ///   - frame: Size of the stored frame, at least 2 × 2.
    ///   - rotation: Clockwise rotation that makes the stored frame upright.
    /// - Returns: A rectangle within the frame.
    package func crop(at nanoseconds: Int64, of frame: FrameSize, rotation: Rotation) -> PixelRectangle {
        let share = share(at: nanoseconds)
        let upright = rotation.swapsSides ? frame.transposed : frame
        let outer = bounds.pixels(of: upright)
        // The part is made smaller in both dimensions if one of them doesn't fit.
        let wanted = max(height.place(at: share), min_height) * Double(upright.height)
        let tall = min(wanted, Double(outer.height), Double(outer.width) / max(ratio, 0.01))
        let rows = Self.even(tall, within: outer.height)
        let columns = Self.even(tall * ratio, within: outer.width)
        let left = x.place(at: share) * Double(upright.width) - Double(columns) / 2
        let top = y.place(at: share) * Double(upright.height) - Double(rows) / 2
        let part = PixelRectangle(
            x: outer.x + Self.offset(left - Double(outer.x), room: outer.width - columns),
            y: outer.y + Self.offset(top - Double(outer.y), room: outer.height - rows), width: columns,
            height: rows)
        return part.stored(in: frame, rotation: rotation)
    }

    private static func even(_ length: Double, within most: Int) -> Int {
        max(2, min(Int(rounding: length / 2) * 2, most & ~1))
    }

    private static func offset(_ place: Double, room: Int) -> Int {
        max(0, min(Int(rounding: place / 2) * 2, room & ~1))
    }

    /// Whether all numbers are plausible; they may be wrong in an edited file.
    package var isPlausible: Bool {
        let curves = [x, y, height]
        return duration_ns > 0 && (0.05...20).contains(ratio) && (0...1).contains(min_height)
            && curves.allSatisfy { curve in
                (1...6).contains(curve.coefficients.count)
                    && curve.coefficients.allSatisfy { abs($0) < 1e6 }
            } && FramePart(x: bounds.x, y: bounds.y, width: bounds.width, height: bounds.height) != nil
    }
}

extension FramingMotion {
    /// The motion without movement: the whole upright frame.
    package static let wide = FramingMotion(
        from: 0, duration: Nanoseconds(1), x: Curve(constant: 0.5), y: Curve(constant: 0.5),
        height: Curve(constant: 1), ratio: 1, bounds: .whole)
}

extension PixelRectangle {
    /// Returns the rectangle of the upright frame that shows this rectangle of the stored frame.
    ///
    /// - Parameters:
    ///   - frame: Size of the stored frame.
    ///   - rotation: Clockwise rotation that makes the stored frame upright.
    /// - Returns: The rectangle in pixels of the upright frame.
    package func upright(in frame: FrameSize, rotation: Rotation) -> PixelRectangle {
        stored(in: rotation.swapsSides ? frame.transposed : frame, rotation: .none - rotation)
    }

    /// Returns the rectangle of the stored frame that a rectangle of the upright frame shows.
    ///
    /// - Parameters:
    ///   - frame: Size of the stored frame.
    ///   - rotation: Clockwise rotation that makes the stored frame upright.
    /// - Returns: The rectangle in pixels of the stored frame.
    fileprivate func stored(in frame: FrameSize, rotation: Rotation) -> PixelRectangle {
        switch rotation {
        case .none: self
        case .quarter: PixelRectangle(x: y, y: frame.height - x - width, width: height, height: width)
        case .half:
            PixelRectangle(
                x: frame.width - x - width, y: frame.height - y - height, width: width, height: height)
        case .threeQuarters:
            PixelRectangle(x: frame.width - y - height, y: x, width: height, height: width)
        }
    }
}
