import Glibc

/// The cosine, for files that import no C library.
enum Cosine {
    static func of(_ angle: Double) -> Double { cos(angle) }
}
