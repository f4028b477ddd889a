package import Media

/// The mounting of a sensor in the computer: rotates its readings into the axes of the screen (kernel,
/// Documentation/ABI/testing/sysfs-bus-iio, `mount_matrix`).
package struct MountMatrix: Sendable, Equatable {
    /// Rows of the matrix; each gives one axis of the screen.
    private let rows: [[Double]]

    /// The matrix of a sensor whose axes are the screen's.
    package static let identity = MountMatrix(rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    private init(rows: [[Double]]) { self.rows = rows }

    /// Reads `1, 0, 0; 0, 1, 0; 0, 0, 1`, as sysfs and udev write it.
    ///
    /// - Returns: `nil` where the text is no 3 × 3 matrix, or the matrix changes lengths. A matrix that mirrors is
    ///   allowed: some sensors count an axis the other way round.
    package init?(_ text: String) {
        let rows = text.split(separator: ";", omittingEmptySubsequences: false).map { row in
            row.split(separator: ",", omittingEmptySubsequences: false).compactMap { word in
                Double(String(word.filter { $0 != " " })).flatMap { abs($0) <= 1.1 ? $0 : nil }
            }
        }
        guard rows.count == 3, rows.allSatisfy({ $0.count == 3 }) else { return nil }
        for first in rows.indices {
            for second in rows[first...].indices {
                // The tolerance allows for matrices that are written with few digits.
                let product = zip(rows[first], rows[second]).reduce(0) { $0 + $1.0 * $1.1 }
                guard abs(product - (first == second ? 1 : 0)) <= 0.1 else { return nil }
            }
        }
        self.rows = rows
    }

    /// Rotates an acceleration from the sensor's axes to the screen's.
    package func applied(to felt: Acceleration) -> Acceleration {
        func part(_ row: [Double]) -> Double { row[0] * felt.x + row[1] * felt.y + row[2] * felt.z }
        return Acceleration(x: part(rows[0]), y: part(rows[1]), z: part(rows[2]))
    }
}
