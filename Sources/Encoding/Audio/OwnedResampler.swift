internal import CMedia
import Media

/// An `SwrContext` with exactly one owner.
struct OwnedResampler: ~Copyable {
    let pointer: OpaquePointer

    /// Allocates a context with the same channels on both sides. It is not initialised yet, so that options can be set.
    init(
        _ subject: String, from: AVSampleFormat, rate: Int, to: AVSampleFormat, rate outputRate: Int,
        channels: Int
    ) throws(EncodingError) {
        var (layout, outputLayout) = (AVChannelLayout(), AVChannelLayout())
        av_channel_layout_default(&layout, Int32(channels))
        av_channel_layout_default(&outputLayout, Int32(channels))
        var context: OpaquePointer?
        let result = swr_alloc_set_opts2(
            &context, &outputLayout, to, Int32(outputRate), &layout, from, Int32(rate), 0, nil)
        guard result >= 0, let context else {
            throw EncodingError(subject, "swr_alloc_set_opts2", code: result)
        }
        pointer = context
    }

    deinit {
        var context: OpaquePointer? = pointer
        swr_free(&context)
    }
}
