internal import CMulticamMedia
package import MulticamMedia

/// Discrete Fourier transform of complex numbers, using libavutil. The object owns an `AVTXContext`. Not
/// thread-safe: use it from one thread only.
package final class FourierTransform {
    /// Direction of the transform. Neither direction scales the values.
    package enum Direction: Sendable { case forward, inverse }

    /// Number of complex input and output values.
    package let length: Int
    private var context: OpaquePointer?
    /// The imported type `av_tx_fn` can't be used here, because it breaks the compiler's symbol extraction
    /// (Swift 6.3.1).
    private let function: (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int) -> Void

    /// Creates a transform.
    ///
    /// - Parameters:
    ///   - length: Number of complex values, a power of two in 2…2²⁴.
    ///   - direction: Direction of the transform. Neither direction scales: a signal that is transformed forward and
    ///     back is multiplied by `length`.
    /// - Throws: An error if memory allocation fails.
    package init(length: Int, _ direction: Direction) throws(EncodingError) {
        precondition(
            length > 1 && length <= 1 << 24 && length.nonzeroBitCount == 1,
            "the length must be a power of two")
        var (context, function): (OpaquePointer?, av_tx_fn?) = (nil, nil)
        var scale: Float = 1
        let result = av_tx_init(
            &context, &function, AV_TX_FLOAT_FFT, direction == .inverse ? 1 : 0, Int32(length), &scale,
            UInt64(AV_TX_UNALIGNED.rawValue))
        guard result >= 0, let function else {
            throw EncodingError("audio", "av_tx_init", code: result)
        }
        self.length = length
        self.context = context
        self.function = { function($0, $1, $2, $3) }
    }

    deinit {
        av_tx_uninit(&context)
    }

    /// Transforms `input` into `output`. Both arrays contain 2 · `length` floats each: interleaved real and
    /// imaginary parts. The contents of `input` are undefined afterwards.
    package func transform(_ input: inout [Float], into output: inout [Float]) {
        precondition(
            input.count == 2 * length && output.count == 2 * length,
            "both arrays must contain 2 × length values")
        input.withUnsafeMutableBytes { source in
            output.withUnsafeMutableBytes { target in
                function(context, target.baseAddress, source.baseAddress, 2 * MemoryLayout<Float>.stride)
            }
        }
    }
}
